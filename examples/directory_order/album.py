import os


def captions(folder):
    """The captions of an album, one file each, in the order of the album."""
    lines = []
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            lines.append(file.read().strip())
    return lines
