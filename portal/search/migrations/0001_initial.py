import django.db.models.deletion
from django.db import migrations, models

# Texts are split into words before they are stored: portal/search/words.py. The simple configuration finds them as
# written, the English one in other forms. The scope is part of both indexes, so that a query reads no more than its
# user can see; no word contains its underscore.
SCOPE = "'_' || CASE {0}audience WHEN 'members' THEN 'partner' || CAST({0}partner_id AS text) ELSE {0}audience END"
POSTGRESQL = (
    f"""
ALTER TABLE search_searchentry ADD COLUMN document tsvector GENERATED ALWAYS AS (
    to_tsvector('simple', words) || to_tsvector('english', words) || array_to_tsvector(ARRAY[{SCOPE.format("")}])
) STORED
""",
    "CREATE INDEX search_entry_document ON search_searchentry USING gin (document)",
)
# SQLite drops triggers with their table, even when Django rebuilds it to change a column: create them again then.
# The tokenizer takes every character that isn't ASCII for a letter: the words are separated by spaces alone.
REMOVE = (
    "INSERT INTO search_words (search_words, rowid, words) "
    f"VALUES ('delete', old.id, old.words || ' ' || {SCOPE.format('old.')});"
)
ADD = f"INSERT INTO search_words (rowid, words) VALUES (new.id, new.words || ' ' || {SCOPE.format('new.')});"
SQLITE = (
    """
CREATE VIRTUAL TABLE search_words USING fts5
(words, content='', tokenize="ascii tokenchars '_'", prefix='1 2 3', detail=none)
""",
    f"CREATE TRIGGER search_entry_insert AFTER INSERT ON search_searchentry BEGIN {ADD} END",
    f"CREATE TRIGGER search_entry_delete AFTER DELETE ON search_searchentry BEGIN {REMOVE} END",
    f"CREATE TRIGGER search_entry_update AFTER UPDATE ON search_searchentry BEGIN {REMOVE} {ADD} END",
)
STATEMENTS = {"postgresql": POSTGRESQL, "sqlite": SQLITE}
# The column, the indexes, and the triggers go with the table.
REVERSE = {"postgresql": (), "sqlite": ("DROP TABLE search_words",)}


def create_index(apps, editor):
    for statement in STATEMENTS[editor.connection.vendor]:
        editor.execute(statement)


def drop_index(apps, editor):
    for statement in REVERSE[editor.connection.vendor]:
        editor.execute(statement)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('partners', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='SearchEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.PositiveSmallIntegerField(choices=[(1, 'Integration'), (2, 'Partner'), (3, 'Repository'), (4, 'Finding'), (5, 'Issue'), (6, 'Person'), (7, 'Program'), (8, 'Help'), (9, 'Published provider')])),
                ('object_id', models.CharField(max_length=100)),
                ('source', models.CharField(db_index=True, max_length=120)),
                ('title', models.CharField(max_length=300)),
                ('title_words', models.CharField(max_length=300)),
                ('subtitle', models.CharField(blank=True, max_length=200)),
                ('words', models.TextField()),
                ('url', models.CharField(max_length=400)),
                ('staff_url', models.CharField(blank=True, max_length=400)),
                ('audience', models.CharField(choices=[('everyone', 'Everyone'), ('members', 'Members of the partner, and program staff'), ('staff', "Program staff who don't belong to the partner")], max_length=10)),
                ('partner', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='partners.partner')),
            ],
            options={
                'indexes': [models.Index(fields=['title_words'], name='search_entry_title_words')],
                'constraints': [models.UniqueConstraint(fields=('kind', 'object_id'), name='search_entry_unique_object')],
            },
        ),
        migrations.RunPython(create_index, drop_index),
    ]
