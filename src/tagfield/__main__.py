"""`python -m tagfield` is `tagfield`."""

from tagfield.cli import main

if __name__ == "__main__":
    main()
