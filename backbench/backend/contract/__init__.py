"""What every backend promises, one theme a file: names, parameters, shapes and types are documented here, once.

In the examples `b` is the NumPy backend at the default precision of 32 bits and `np` is NumPy.
"""
