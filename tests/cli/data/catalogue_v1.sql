-- A catalogue as version 1 left it: `busy` uses `slow`, `mine` a view of the module io without saying so.
CREATE TABLE view(name text primary key, text text not null, doc text, saved_ns integer not null);
INSERT INTO "view" VALUES('slow',replace('--| Reads that took long.\n--| th: beyond this\nview slow(th = 1ms) := count as n of read where latency > $th by file','\n',char(10)),replace('Reads that took long.\nth: beyond this','\n',char(10)),1795362116838702953);
INSERT INTO "view" VALUES('busy','view busy(th = 2ms) := file, n of slow($th)',NULL,1795362116840731463);
INSERT INTO "view" VALUES('mine','view mine := top 3 of top_files',NULL,1795362116859980627);
CREATE TABLE tag(bytes blob primary key, added_ns integer not null);
INSERT INTO tag VALUES(X'666978323833',1795362116862691951);
PRAGMA application_id = 1380863043;
PRAGMA user_version = 1;
