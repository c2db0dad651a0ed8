"""Writes the generated files of all clients from the route table: `python -m tools.write_clients`."""

from pathlib import Path

from tools.clients import php, python, typescript

LANGUAGES = (php, python, typescript)


def files() -> dict[Path, str]:
    """Every generated file of every client with its text."""
    return {path: text for language in LANGUAGES for path, text in language.files().items()}


def main() -> None:
    for path, text in files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
