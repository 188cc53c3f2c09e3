"""The program's version, where every stage may read it."""

VERSION = "0.1.0"
