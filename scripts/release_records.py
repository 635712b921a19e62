"""Whether the recorded runs of docs/recorded are of the code that is released: each of a commit that leads to HEAD, without changes,
and none after which impl/ changed."""
import json
import re
import subprocess


def git(tree, *words):
    return subprocess.run(["git", "-C", tree, *words], capture_output=True, text=True)


def complaints(tree):
    for path in sorted((tree / "docs/recorded").glob("*.json")):
        commit = json.loads(path.read_text(encoding="utf-8")).get("commit", "unknown")
        if not re.fullmatch(r"[0-9a-f]{7,40}", commit):
            yield f"docs/recorded/{path.name} is a run of '{commit}'; one of a commit is needed, without changes"
        elif git(tree, "merge-base", "--is-ancestor", commit, "HEAD").returncode != 0:
            yield f"docs/recorded/{path.name} is a run of {commit}, which is no commit that leads to this one"
        elif changed := git(tree, "log", "--format=%h %s", f"{commit}..HEAD", "--", "impl").stdout.splitlines():
            yield f"docs/recorded/{path.name} is a run of {commit}; impl/ has changed since, last by {changed[0]}"
