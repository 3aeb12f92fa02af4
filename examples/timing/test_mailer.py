import time

from mailer import Mailer


def test_message_is_sent():
    outbox = []
    Mailer(outbox.append).post("hello")
    time.sleep(0.05)  # "by then it has long been sent"
    assert outbox == ["hello"]
