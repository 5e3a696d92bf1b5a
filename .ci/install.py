"""pip install -r FILE with one line of progress. Usage: install.py PYTHON FILE

pip's own output is either silent for a minute or hundreds of lines; it goes to .venv/pip.log.
"""

import subprocess
import sys
import time


def main(python: str, requirements: str) -> int:
    start = time.monotonic()
    command = [python, "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off"]
    pip = subprocess.Popen([*command, "-r", requirements], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert pip.stdout is not None
    said = []
    with open(".venv/pip.log", "w") as log:
        for line in pip.stdout:
            log.write(line)
            said.append(line)
            if sys.stdout.isatty() and line.startswith(("Collecting", "Installing")):
                found = sum(1 for earlier in said if earlier.startswith("Collecting"))
                doing = "installing them" if line.startswith("Installing") else line.split()[1]
                print(f"\r\033[K  {found} packages, {doing}", end="", flush=True)
    if sys.stdout.isatty():
        print("\r\033[K", end="")
    if pip.wait():
        errors = [line for line in said if line.startswith("ERROR")] or said[-1:]
        print(f"{requirements} could not be installed: {' '.join(errors).strip()} (see .venv/pip.log)")
        return 1
    print(f"  {requirements} is installed ({time.monotonic() - start:.0f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
