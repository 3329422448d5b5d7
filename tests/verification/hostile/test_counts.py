from tests.verification.hostile import counts


def test_tables_are_long_enough():
    print(counts.printed())
    assert [name for name, (there, wanted) in counts.COUNTS.items() if there < wanted] == []
