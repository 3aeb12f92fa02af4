def slug(title, limit=20):
    """The part of an address that tells the title, cut at a word."""
    words, text = title.lower().split(), ""
    for word in words:
        if len(text) + len(word) > limit:
            break
        text += f"-{word}"
    return text.lstrip("-")
