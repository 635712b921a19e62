"""The page of scripts/report in headless Chromium, wide and narrow, light and dark. A short run of the build's
posenc-verify and posenc-bench ($POSENC_VERIFY, $POSENC_BENCH) is its data."""
import os
import pathlib
import shutil
import subprocess

import pytest

LACKING = "is not installed (./scripts/maintain/setup campaigns)"
for tool in ("chromium", "chromedriver"):
    if not shutil.which(tool):
        pytest.skip(f"{tool} {LACKING}", allow_module_level=True)
webdriver = pytest.importorskip("selenium.webdriver", reason=f"Selenium {LACKING}")
from selenium.webdriver.chrome.service import Service

TOP = pathlib.Path(__file__).resolve().parents[2]
VERIFY, BENCH = os.environ["POSENC_VERIFY"], os.environ["POSENC_BENCH"]
# Something for every section.
FEW = "^(harness|row)/|n:(5000|256)/d:512$|n:16/d:384$|^fill_at/.*/n:2048"
VIEWS = [(1400, "light"), (1400, "dark"), (400, "light"), (400, "dark")]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    work = tmp_path_factory.mktemp("page")
    verify, bench = work / "verify.json", work / "bench.json"
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([VERIFY, "--rows", "16", "--json", verify], **quiet)
    few = [f"--benchmark_filter={FEW}", "--all-cases", "--benchmark_repetitions=6", "--benchmark_min_time=0.001"]
    subprocess.run([BENCH, *few, "--json", bench], **quiet)
    report = ["/usr/bin/python3", "-B", "-m", "report", "report", "--verify", verify, "--bench", bench]
    subprocess.run([*report, "--output", work / "out"], cwd=TOP, **quiet)
    return work / "out/index.html"


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
    yield driver
    driver.quit()


def resize(browser, width, height):
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


@pytest.fixture(params=VIEWS, ids=lambda view: f"{view[0]} {view[1]}")
def view(request, browser, page):
    """The browser with the page open, everything unfolded; its width, and the name of the theme."""
    width, theme = request.param
    browser.get_log("browser"), browser.get_log("performance")
    resize(browser, width, 900)
    features = [{"name": "prefers-color-scheme", "value": theme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get(page.as_uri())
    browser.execute_script("for (const d of document.querySelectorAll('details')) d.open = true")
    return browser, width, theme


def test_nothing_is_fetched_and_nothing_complains(view):
    browser = view[0]
    assert browser.get_log("browser") == []
    messages = [entry["message"] for entry in browser.get_log("performance")]
    asked = [message for message in messages if '"Network.requestWillBeSent"' in message]
    assert asked and not any('"url":"http' in message for message in asked)


def test_every_implementation_is_seen(view):
    text = view[0].execute_script("return document.body.innerText")
    listed = subprocess.run([VERIFY, "--list"], check=True, capture_output=True, text=True).stdout
    names = [line.split()[0] for line in listed.splitlines() if line.strip()]
    assert len(names) > 10
    assert [name for name in names if name not in text] == []


def test_the_page_fits_the_window(view):
    browser, width, _ = view
    assert browser.execute_script("return [innerWidth, document.scrollingElement.scrollWidth]") == [width, width]
    beyond = browser.execute_script(
        """
      return [...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll > *') && !e.closest('svg *'))
        .filter(e => { const b = e.getBoundingClientRect()
                       return b.width && (b.left < 0 || b.right > innerWidth + 0.5) })
        .concat([...document.querySelectorAll('section > .scroll, th, td')].filter(e => e.scrollWidth > e.clientWidth))
        .map(e => e.outerHTML.slice(0, 80))"""
    )
    assert beyond == []


def test_answer_works_and_text(view):
    """The answer is above all else, and all is in a landmark; text is at least 12 px large, and first
    columns wrap; bars are shown where the window is wide, and everywhere what an implementation is."""
    browser, width, _ = view
    first, outside, works, small, stiff, bars, told = browser.execute_script(
        """
      const all = what => [...document.querySelectorAll(what)], style = e => getComputedStyle(e)
      const said = e => [...e.childNodes].some(n => n.nodeType == 3 && n.textContent.trim())
      return [document.querySelector('section').className, all('body > :not(main, footer)').length,
              all('section')[1].querySelector('tbody').rows.length,
              all('body :not(svg *)').filter(e => said(e) && parseFloat(style(e).fontSize) < 12).map(e => e.outerHTML),
              all('tbody th').filter(e => style(e).whiteSpace != 'normal').length,
              style(document.querySelector('.bars td:last-child')).backgroundImage,
              all('.answer td:last-child').every(e => e.offsetWidth > 150)]"""
    )
    assert (first, outside, told) == ("answer", 0, True) and works >= 1 and (small, stiff) == ([], 0)
    assert (bars == "none") == (width < 600)


def test_pictures(view):
    """Text lies within its picture, is at least 12 px large, and covers no other text, except that two numbers may be
    close."""
    found = view[0].execute_script(
        """
      const wrong = [], box = e => e.getBoundingClientRect()
      const seen = [...document.querySelectorAll('figure svg')].filter(svg => box(svg).width)
      const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1.5
      for (const svg of seen) {
        const all = box(svg), scale = all.width / svg.viewBox.baseVal.width, texts = [...svg.querySelectorAll('text')]
        texts.forEach((t, i) => {
          const b = box(t), size = parseFloat(getComputedStyle(t).fontSize) * scale
          for (const other of texts.slice(i + 1))
            if (over(b, box(other)) && /[a-z]/.test(t.textContent + other.textContent))
              wrong.push(t.textContent + ' covers ' + other.textContent)
          if (b.left < all.left - 2 || b.right > all.right + 2 || b.top < all.top - 2 || b.bottom > all.bottom + 2)
            wrong.push('outside: ' + t.textContent)
          if (size < 12) wrong.push('small: ' + t.textContent + ' ' + size)
        })
      }
      return [seen.length, wrong]"""
    )
    assert found == [2, []]


def test_colours_follow_the_theme(view):
    """Pictures are drawn dark on light, and inverted where the page is dark."""
    browser, _, theme = view
    found = browser.execute_script(
        """
      const light = c => { const [r, g, b] = c.match(/[0-9.]+/g).map(Number); return r + g + b > 382 }
      return [light(getComputedStyle(document.documentElement).backgroundColor),
              getComputedStyle(document.querySelector('figure svg')).filter.startsWith('invert'),
              [...document.querySelectorAll('figure svg text')].some(t => light(getComputedStyle(t).fill))]"""
    )
    assert found == [theme == "light", theme == "dark", False]
