import hashlib
import time


def new_name(content):
    """A name that sorts by date and tells contents apart."""
    digest = hashlib.sha256(content).hexdigest()
    return time.strftime("backup-%Y%m%d-%H%M%S-") + digest[:8]
