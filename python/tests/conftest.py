"""What could not run is named, in the form in which ./scripts/test counts it."""


def pytest_terminal_summary(terminalreporter):
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        terminalreporter.write_line(f"skipped: {report.nodeid.split('::')[-1]}: {reason.removeprefix('Skipped: ')}")
