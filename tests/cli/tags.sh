#!/bin/bash
# tags.sh - the catalogue's set of tags, tags of a file, and `tag *`; nothing here attaches
# anything.
. tests/cli/lib.bash
watched() { grep -o 'watches tag .*, live' "$tmp/out" | sed 's/watches tag //; s/, live//'; }

run 'count of tag *'
case_is empty 1 "" \
'query:1:10: error: the set of tags is empty [E-TAG-SET]
  count of tag *
           ^~~~~
  fill it, as in `tags add fix283, ulr821`, or name the tags here: `tag fix283`'
run 'tags list'
case_is list-empty 0 "" "the set of tags is empty"
same reading-makes-nothing "$(ls "$tmp/catalog.db" 2>&1 | grep -c 'No such')" 1

run 'tags add fix283, "b c d", x"00FF1234", "a,\"b"'
case_is add 0 "" $'tag fix283 added\ntag b c d added\ntag x"00ff1234" added\ntag x"612c2262" added'
run 'tags add fix283, new1'
case_is add-again 0 "" $'tag fix283 was there already\ntag new1 added'
run -o csv 'tags list'
same list "$rc $(cut -d, -f1,2 "$tmp/out" | tr '\n' ' ')" \
	'0 tag,bytes fix283,6 b c d,5 "x""00ff1234""",4 "x""612c2262""",4 new1,4 '
run -o json 'tags list'
same list-json "$(sed -n 3p "$tmp/out" | sed 's/[0-9]*}/N}/')" \
	'{"tag": "x\"00ff1234\"", "bytes": 4, "added": N}'
run 'explain count of tag *'
same every "$rc $(watched)" '0 fix283, b c d, x"00ff1234", x"612c2262", new1'

run 'tags drop fix28, new1'
case_is drop-unknown 1 "" \
'query:1:11: error: the set has no tag `fix28` [E-NAME-TAG]
  tags drop fix28, new1
            ^~~~~
  did you mean `fix283`?'
run 'explain count of tag *'
same nothing-dropped "$(watched)" 'fix283, b c d, x"00ff1234", x"612c2262", new1'
run 'tags drop x"00ff1234", "b c d", "a,\"b"'
case_is drop 0 "" $'tag x"00ff1234" dropped\ntag b c d dropped\ntag x"612c2262" dropped'
run 'tags add ABCD; explain count of tag *; tags drop ABCD, new1; explain count of tag *'
same in-one-text "$rc $(watched | tr '\n' ';')" '0 fix283, new1, ABCD;fix283;'
printf 'tags add $t;\nexplain count of tag $t;\n' >"$tmp/add.rnl"
run -q "$tmp/add.rnl" t=order17
same parameter "$rc $(watched) $(wc -c <"$tmp/err")" "0 order17 0"
run 'tags add abc; tags drop fix283'
same check-first "$rc $(grep -c dropped "$tmp/err")" "1 0"
run -q 'tags list'
same still-there "$(cut -d' ' -f1 "$tmp/out" | tr '\n' ' ')" "tag fix283 order17 "
for w in add drop 'list fix283' lst; do
	run "tags $w"
	same "wrong-${w%% *}" "$rc $(grep -c 'E-SYNTAX' "$tmp/err")" "1 1"
done

# A catalogue that was made before there were tags, and one that cannot be read.
sqlite3 "$tmp/old.db" 'create table view(name text primary key, text text not null, doc text, saved_ns integer not null);
	pragma application_id = 1380863043; pragma user_version = 1;'
RUNNEL_CATALOG=$tmp/old.db run 'tags add fix283; explain count of tag *'
same old-catalogue "$rc $(watched)" "0 fix283"
echo "not a database at all" >"$tmp/bad.db"
RUNNEL_CATALOG=$tmp/bad.db run 'tags add fix283'
same bad-catalogue "$rc $(head -n1 "$tmp/err")" \
	"4 error: the catalogue of views $tmp/bad.db cannot be read: file is not a database"
same bad-left-alone "$(cat "$tmp/bad.db")" "not a database at all"

# A file, read when the query is planned.
printf '# tags\r\nfix283\r\n\r\n  ulr821\nx"00ff1234"\nfix283' >"$tmp/tags.txt"
run "explain count of tag from \"$tmp/tags.txt\""
same file "$rc $(watched)" '0 fix283, ulr821, x"00ff1234"'
printf 'view of_file(f) := count of tag from $f; explain events of of_file("%s")' "$tmp/tags.txt" \
	>"$tmp/view.rnl"
run "$tmp/view.rnl"
same file-of-view "$rc $(watched)" '0 fix283, ulr821, x"00ff1234"'
seq -f 'tag%05g' 2000 >"$tmp/many.txt"
run "explain count of tag from \"$tmp/many.txt\""
same file-too-many "$rc $(grep -c 'E-LIMIT-TAGS' "$tmp/err")" "1 1"
head -c 1100000 /dev/zero >"$tmp/big.txt"
run "explain count of tag from \"$tmp/big.txt\""
same file-too-big "$rc $(grep -c 'at most 1048576 \[E-TAG-FILE\]' "$tmp/err")" "1 1"
done_testing
