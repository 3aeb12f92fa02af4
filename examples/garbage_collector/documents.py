import weakref


class Document:
    def __init__(self, title):
        self.title = title
        self.pages = [Page(self, number) for number in range(3)]


class Page:
    def __init__(self, document, number):
        self.document, self.number = document, number


class Library:
    """Knows the documents that somebody has open."""

    def __init__(self):
        self.known = weakref.WeakValueDictionary()

    def open(self, title):
        self.known[title] = document = Document(title)
        return document

    def titles(self):
        return list(self.known)
