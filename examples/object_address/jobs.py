class Job:
    def __init__(self, name):
        self.name = name


def schedule(*jobs):
    """Each job once, in the order in which they will run."""
    return list(set(jobs))
