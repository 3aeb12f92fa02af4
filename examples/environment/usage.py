import argparse


def build_parser():
    parser = argparse.ArgumentParser(prog="backup", description="Copy folders to the archive.")
    parser.add_argument("folder", help="what to copy; folders below it are copied as well")
    parser.add_argument("--keep-days", type=int, default=30, help="days to keep older copies of it")
    return parser
