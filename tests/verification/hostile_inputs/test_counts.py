"""Test of the number of hostile inputs."""

from tests.verification.hostile_inputs import counts


def test_tables_have_the_minimum_number_of_inputs():
    print(counts.format_counts())
    assert [name for name, (count, minimum) in counts.COUNTS.items() if count < minimum] == []
