"""How fast is it? Ratios against floors, all from one run on one server; never part of the tests."""
