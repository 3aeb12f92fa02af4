from documents import Library


def test_a_closed_document_is_not_listed():
    library = Library()
    document = library.open("manual")
    words = [[document.title, number] for number in range(5000)]
    del document
    lengths = [[len(word)] for word in words]
    assert library.titles() == [], len(lengths)
