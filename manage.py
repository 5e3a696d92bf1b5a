#!/usr/bin/env python3
"""Commands of this installation. `up` starts everything, so it runs before the settings can be read."""

import os
import sys


def main() -> int:
    if sys.argv[1:2] == ["up"]:
        from memoryplane.up import main as up

        return up(sys.argv[2:])
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryplane.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        print(f"memoryplane: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
