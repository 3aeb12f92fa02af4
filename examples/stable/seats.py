def seats(rows, per_row):
    """Seat names in reading order."""
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZ"
    return [f"{row}{letters[n]}" for row in range(1, rows + 1) for n in range(per_row)]
