from tests.verification.hostile import counts


def test_tables_are_long_enough():
    print(counts.format_counts())
    assert [name for name, (there, minimum) in counts.COUNTS.items() if there < minimum] == []
