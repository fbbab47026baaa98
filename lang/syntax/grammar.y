/* grammar.y - the grammar of one statement (lemon). parse.c splits statements at `;`, so that an
 * error in one does not affect the others.
 *
 * It has no conflicts. `top N by E` takes the `by` that follows it: only this place has a
 * precedence. Words listed under %fallback are keywords only in places where the grammar uses them;
 * elsewhere they are names. Actions only call build.c. */
%name rn_grammar_
%token_prefix RN_TOK_
%token_type {struct rn_token}
%default_type {struct rn_token}
%extra_argument {struct rn_builder *b}
%stack_size 2048
%start_symbol file

%include {
#include <assert.h>
#include <string.h>
#include "lang/syntax/build.h"
}
%syntax_error { b->failed = true; }
%parse_failure { b->failed = true; }
%stack_overflow { rn_build_too_deep(b, b->fed); }

%token SEMI. /* never fed: parse.c ends a statement at it */
%fallback ID ORDER TOP LIMIT EVERY FOR LAST SAMPLE SCAN ON EXCEPT FROM INTO ASC DESC EVENTS FLOW
	SPANS VIEW USE DROP EXPLAIN TAG TAGS DECLARE
	LET ASSERT ELSE FORMAT TO REPLACE APPEND IS NULLWORD THROUGH OVER LIVE STARTING ENDING.
%nonassoc TOP_ALONE.
%nonassoc BY.

%type query {struct rn_ast_query *}
%type alone {struct rn_ast_query *}
%type source {struct rn_ast_source *}
%type classes {struct rn_sources}
%type class {struct rn_ast_source *}
%type single {struct rn_ast_source *}
%type end {struct rn_ast_source *}
%type items {struct rn_items}
%type orders {struct rn_items}
%type item {struct rn_ast_item *}
%type order {struct rn_ast_item *}
%type names {struct rn_namelist}
%type strings {struct rn_namelist}
%type keys {struct rn_namelist}
%type tags {struct rn_namelist}
%type name {struct rn_ast_name *}
%type key {struct rn_ast_name *}
%type string {struct rn_ast_name *}
%type tag {struct rn_ast_name *}
%type params {struct rn_params}
%type paramlist {struct rn_params}
%type param {struct rn_ast_param *}
%type declared {struct rn_ast_param *}
%type exprs {struct rn_exprs}
%type args {struct rn_exprs}
%type expr {struct rn_ast_expr *}
%type conj {struct rn_ast_expr *}
%type neg {struct rn_ast_expr *}
%type cmp {struct rn_ast_expr *}
%type bits {struct rn_ast_expr *}
%type xor {struct rn_ast_expr *}
%type both {struct rn_ast_expr *}
%type shift {struct rn_ast_expr *}
%type sum {struct rn_ast_expr *}
%type product {struct rn_ast_expr *}
%type signed {struct rn_ast_expr *}
%type primary {struct rn_ast_expr *}
%type value {struct rn_ast_expr *}
%type cmpop {enum rn_op}
%type over {struct rn_into_over}

/* ---- statements ---- */

file ::= stmt.
stmt ::= query(Q). { rn_build_stmt(b, RN_STMT_QUERY, Q->span, Q->span)->query = Q; }
stmt ::= query(Q) FORMAT ID(F). { rn_build_formatted(b, Q, F, NULL); }
stmt ::= query(Q) FORMAT ID(F) TO STRING(N). { rn_build_formatted(b, Q, F, &N); }
stmt ::= alone(Q). { rn_build_stmt(b, RN_STMT_QUERY, Q->span, Q->span)->query = Q; }
stmt ::= alone(Q) FORMAT ID(F). { rn_build_formatted(b, Q, F, NULL); }
stmt ::= alone(Q) FORMAT ID(F) TO STRING(N). { rn_build_formatted(b, Q, F, &N); }
stmt ::= LET(T) ID(N) ASSIGN query(Q). {
	struct rn_ast_stmt *s = rn_build_stmt(b, RN_STMT_LET, T.span, Q->span);

	s->name = N.text;
	s->name_span = N.span;
	s->doc = T.doc;
	s->query = Q;
}
stmt ::= ASSERT(T) query(Q). { rn_build_stmt(b, RN_STMT_ASSERT, T.span, Q->span)->query = Q; }
stmt ::= ASSERT(T) query(Q) ELSE STRING(M). {
	struct rn_ast_stmt *s = rn_build_stmt(b, RN_STMT_ASSERT, T.span, M.span);

	s->query = Q;
	s->message = M.text;
}
stmt ::= EXPLAIN(T) query(Q). { rn_build_stmt(b, RN_STMT_EXPLAIN, T.span, Q->span)->query = Q; }
stmt ::= VIEW(T) ID(N) params(P) ASSIGN query(Q). {
	struct rn_ast_stmt *s = rn_build_stmt(b, RN_STMT_VIEW, T.span, Q->span);

	s->name = N.text;
	s->doc = T.doc;
	s->params = P.first;
	s->query = Q;
}
stmt ::= USE(T) ID(N). { rn_build_stmt(b, RN_STMT_USE, T.span, N.span)->name = N.text; }
stmt ::= DROP(T) VIEW keys(L). {
	struct rn_ast_stmt *s = rn_build_stmt(b, RN_STMT_DROP, T.span, L.last->span);

	s->name = L.first->text;
	s->names = L.first;
}
stmt ::= TAGS(T) ID(V). {
	struct rn_ast_stmt *s = rn_build_stmt(b, RN_STMT_TAGS, T.span, V.span);

	s->name = V.text;
	s->name_span = V.span;
}
stmt ::= TAGS(T) ID(V) tags(L). {
	struct rn_ast_stmt *s = rn_build_stmt(b, RN_STMT_TAGS, T.span, L.last->span);

	s->name = V.text;
	s->name_span = V.span;
	s->names = L.first;
}

stmt ::= DECLARE(T) declared(P). {
	struct rn_ast_stmt *s = rn_build_stmt(b, RN_STMT_PARAM, T.span, P->span);

	s->name = P->name;
	s->doc = T.doc;
	s->params = P;
}
declared(A) ::= ID(N) EQ expr(E). { A = rn_build_param(b, N, E); }
declared(A) ::= ID(N) ID(Y). { A = rn_build_declared(b, N, Y, NULL); }
declared(A) ::= ID(N) ID(Y) EQ expr(E). { A = rn_build_declared(b, N, Y, E); }

params(A) ::= . { A = (struct rn_params){0}; }
params(A) ::= LPAREN RPAREN. { A = (struct rn_params){0}; }
params(A) ::= LPAREN paramlist(L) RPAREN. { A = L; }
paramlist(A) ::= param(P). { A = rn_params_add(b, (struct rn_params){0}, P); }
paramlist(A) ::= paramlist(L) COMMA param(P). { A = rn_params_add(b, L, P); }
param(A) ::= ID(N). { A = rn_build_param(b, N, NULL); }
param(A) ::= ID(N) EQ expr(E). { A = rn_build_param(b, N, E); }

/* ---- queries ---- */

/* the name of a view or of a result: as a query it could be an element of in (x) */
alone(A) ::= ID(N). { A = rn_build_alone(b, rn_build_class(b, N, (struct rn_namelist){0})); }
alone(A) ::= ID(N) LPAREN args(L) RPAREN(C). { A = rn_build_alone(b, rn_build_view(b, N, L, C)); }

query(A) ::= items(L) OF source(S). { A = rn_build_query(b, RN_WHAT_LIST, L.first->span, L, S); }
query(A) ::= EVENTS(T) OF source(S).
	{ A = rn_build_query(b, RN_WHAT_EVENTS, T.span, (struct rn_items){0}, S); }
query(A) ::= STAR(T) OF source(S). {
	A = rn_build_query(b, RN_WHAT_EVENTS, T.span, (struct rn_items){0}, S);
	A->all = true;
}
query(A) ::= FLOW(T) OF source(S).
	{ A = rn_build_query(b, RN_WHAT_FLOW, T.span, (struct rn_items){0}, S); }
query(A) ::= SPANS(T) OF source(S).
	{ A = rn_build_query(b, RN_WHAT_SPANS, T.span, (struct rn_items){0}, S); }
query(A) ::= TOP(T) value(N) OF source(S). {
	A = rn_build_query(b, RN_WHAT_TOP, T.span, (struct rn_items){0}, S);
	rn_build_value_clause(b, A, RN_C_WHAT_TOP, T, N);
}
query(A) ::= query(Q) WHERE(T) expr(E). { A = Q; rn_build_expr_clause(b, A, RN_C_WHERE, T, E); }
query(A) ::= query(Q) THROUGH(T) expr(E).
	{ A = Q; rn_build_expr_clause(b, A, RN_C_THROUGH, T, E); }
query(A) ::= query(Q) STARTING(T) WHERE expr(E).
	{ A = Q; rn_build_expr_clause(b, A, RN_C_STARTING, T, E); }
query(A) ::= query(Q) ENDING(T) WHERE expr(E).
	{ A = Q; rn_build_expr_clause(b, A, RN_C_ENDING, T, E); }
query(A) ::= query(Q) HAVING(T) expr(E). { A = Q; rn_build_expr_clause(b, A, RN_C_HAVING, T, E); }
query(A) ::= query(Q) BY(T) items(L). { A = Q; rn_build_items_clause(b, A, RN_C_BY, T, L); }
query(A) ::= query(Q) ORDER(T) BY orders(L).
	{ A = Q; rn_build_items_clause(b, A, RN_C_ORDER, T, L); }
query(A) ::= query(Q) TOP(T) value(N). [TOP_ALONE] { A = Q; rn_build_top(b, A, T, N, NULL); }
query(A) ::= query(Q) TOP(T) value(N) BY expr(E). { A = Q; rn_build_top(b, A, T, N, E); }
query(A) ::= query(Q) LIMIT(T) value(N). { A = Q; rn_build_value_clause(b, A, RN_C_LIMIT, T, N); }
query(A) ::= query(Q) EVERY(T) value(D). { A = Q; rn_build_value_clause(b, A, RN_C_EVERY, T, D); }
query(A) ::= query(Q) EVERY(T) value(D) OVER(O) value(W). {
	A = Q;
	rn_build_value_clause(b, A, RN_C_EVERY, T, D);
	rn_build_value_clause(b, A, RN_C_OVER, O, W);
}
query(A) ::= query(Q) FOR(T) value(D). { A = Q; rn_build_value_clause(b, A, RN_C_FOR, T, D); }
query(A) ::= query(Q) LAST(T) value(D). { A = Q; rn_build_value_clause(b, A, RN_C_LAST, T, D); }
query(A) ::= query(Q) SAMPLE(T) value(P) MOD(E). {
	A = Q;
	P->span = rn_span_join(P->span, E.span);
	rn_build_value_clause(b, A, RN_C_SAMPLE, T, P);
}
query(A) ::= query(Q) SCAN(T) value(C). { A = Q; rn_build_scan(b, A, T, C); }
query(A) ::= query(Q) SCAN(T) value(C) COMMA value(D).
	{ A = Q; rn_build_scan(b, A, T, C); rn_build_scan(b, A, T, D); }
query(A) ::= query(Q) ON(T) names(L). {
	A = Q;
	if (rn_build_clause(b, A, RN_C_ON, rn_span_join(T.span, L.last->span)))
		A->on = L.first;
}
query(A) ::= query(Q) ON(T) names(L) EXCEPT names(M). {
	A = Q;
	if (rn_build_clause(b, A, RN_C_ON, rn_span_join(T.span, M.last->span)))
		A->on = rn_names_except(L, M);
}
query(A) ::= query(Q) ON(T) EXCEPT names(M). {
	A = Q;
	if (rn_build_clause(b, A, RN_C_ON, rn_span_join(T.span, M.last->span)))
		A->on = rn_names_except((struct rn_namelist){0}, M);
}
query(A) ::= query(Q) FROM(T) STRING(F).
	{ A = Q; rn_build_value_clause(b, A, RN_C_FROM, T, rn_build_literal(b, F)); }
query(A) ::= query(Q) FROM(T) PARAM(F).
	{ A = Q; rn_build_value_clause(b, A, RN_C_FROM, T, rn_build_name(b, F)); }
query(A) ::= query(Q) INTO(T) STRING(F) over(O).
	{ A = Q; rn_build_into(b, A, T, rn_build_literal(b, F), O); }
query(A) ::= query(Q) INTO(T) PARAM(F) over(O).
	{ A = Q; rn_build_into(b, A, T, rn_build_name(b, F), O); }
query(A) ::= query(Q) INTO(T) ID(F). {
	A = Q;
	rn_build_value_clause(b, A, RN_C_INTO, T, rn_build_name(b, F));
}

over(A) ::= . { A = (struct rn_into_over){0}; }
over(A) ::= REPLACE(W). { A = (struct rn_into_over){RN_INTO_REPLACE, W.span}; }
over(A) ::= APPEND(W). { A = (struct rn_into_over){RN_INTO_APPEND, W.span}; }
value(A) ::= INT(T). { A = rn_build_literal(b, T); }
value(A) ::= FLOAT(T). { A = rn_build_literal(b, T); }
value(A) ::= DURATION(T). { A = rn_build_literal(b, T); }
value(A) ::= SIZE(T). { A = rn_build_literal(b, T); }
value(A) ::= RATE(T). { A = rn_build_literal(b, T); }
value(A) ::= PARAM(T). { A = rn_build_name(b, T); }

/* ---- sources ---- */

source(A) ::= classes(L). { A = L.first; }
source(A) ::= single(E). { A = E; }
source(A) ::= PARAM(P). { A = rn_build_class(b, P, (struct rn_namelist){0}); A->param = true; }
source(A) ::= LPAREN(O) query(Q) RPAREN(C). { A = rn_build_nested(b, O, Q, C); }
source(A) ::= BETWEEN(T) end(F) AND end(U) ON keys(K). { A = rn_build_pair(b, T, F, U, K); }

end(A) ::= single(E). { A = E; }
end(A) ::= ID(N). { A = rn_build_class(b, N, (struct rn_namelist){0}); }
end(A) ::= ID(N) strings(L). { A = rn_build_class(b, N, L); }
end(A) ::= ID(N) LPAREN args(L) RPAREN(C). { A = rn_build_view(b, N, L, C); }
end(A) ::= LPAREN(O) query(Q) RPAREN(C). { A = rn_build_nested(b, O, Q, C); }

/* A string after a comma belongs to the class before it. */
classes(A) ::= class(C). { A = rn_sources_add(b, (struct rn_sources){0}, C); }
classes(A) ::= classes(L) COMMA class(C). { A = rn_sources_add(b, L, C); }
classes(A) ::= classes(L) COMMA string(S). { A = rn_sources_add_string(b, L, S); }
class(A) ::= ID(N). { A = rn_build_class(b, N, (struct rn_namelist){0}); }
class(A) ::= ID(N) string(S). {
	A = rn_build_class(b, N, rn_names_add(b, (struct rn_namelist){0}, S));
}
class(A) ::= ID(N) LPAREN args(L) RPAREN(C). { A = rn_build_view(b, N, L, C); }

single(A) ::= ID(N) HZ(R). {
	A = rn_build_class(b, N, rn_names_add(b, (struct rn_namelist){0}, rn_build_word(b, R)));
}
single(A) ::= TAG(N) tags(L). { A = rn_build_class(b, N, L); }
single(A) ::= TAG(N) STAR(S). {
	A = rn_build_class(b, N, (struct rn_namelist){0});
	A->all = true;
	A->span = rn_span_join(N.span, S.span);
}
single(A) ::= TAG(N) FROM string(F). {
	A = rn_build_class(b, N, rn_names_add(b, (struct rn_namelist){0}, F));
	A->from_file = true;
}

tags(A) ::= tag(T). { A = rn_names_add(b, (struct rn_namelist){0}, T); }
tags(A) ::= tags(L) COMMA tag(T). { A = rn_names_add(b, L, T); }
tag(A) ::= ID(T). { A = rn_build_word(b, T); }
tag(A) ::= INT(T). { A = rn_build_word(b, T); }
tag(A) ::= HEX(T). { A = rn_build_word(b, T); }
tag(A) ::= string(S). { A = S; }
strings(A) ::= string(T). { A = rn_names_add(b, (struct rn_namelist){0}, T); }
strings(A) ::= strings(L) COMMA string(T). { A = rn_names_add(b, L, T); }
string(A) ::= STRING(T). { A = rn_build_word(b, T); }
string(A) ::= PARAM(T). { A = rn_build_word(b, T); }
keys(A) ::= key(K). { A = rn_names_add(b, (struct rn_namelist){0}, K); }
keys(A) ::= keys(L) COMMA key(K). { A = rn_names_add(b, L, K); }
key(A) ::= ID(T). { A = rn_build_word(b, T); }
key(A) ::= ID(T) EQ ID(U). {
	A = rn_build_word(b, T);
	A->match = U.text;
	A->span = rn_span_join(T.span, U.span);
}
names(A) ::= name(T). { A = rn_names_add(b, (struct rn_namelist){0}, T); }
names(A) ::= names(L) COMMA name(T). { A = rn_names_add(b, L, T); }
name(A) ::= ID(T). { A = rn_build_word(b, T); }
name(A) ::= string(S). { A = S; }

/* ---- lists ---- */

items(A) ::= item(I). { A = rn_items_add(b, (struct rn_items){0}, I); }
items(A) ::= items(L) COMMA item(I). { A = rn_items_add(b, L, I); }
item(A) ::= expr(E). { A = rn_build_item(b, E, NULL); }
item(A) ::= expr(E) AS ID(N). { A = rn_build_item(b, E, &N); }
item(A) ::= IN(W). { A = rn_build_item(b, rn_build_name(b, W), NULL); }
orders(A) ::= order(I). { A = rn_items_add(b, (struct rn_items){0}, I); }
orders(A) ::= orders(L) COMMA order(I). { A = rn_items_add(b, L, I); }
order(A) ::= expr(E). { A = rn_build_item(b, E, NULL); }
order(A) ::= expr(E) ASC(T).
	{ A = rn_build_item(b, E, NULL); A->span = rn_span_join(E->span, T.span); }
order(A) ::= expr(E) DESC(T). {
	A = rn_build_item(b, E, NULL);
	A->desc = true;
	A->span = rn_span_join(E->span, T.span);
}
args(A) ::= . { A = (struct rn_exprs){0}; }
args(A) ::= exprs(L). { A = L; }
exprs(A) ::= expr(E). { A = rn_exprs_add(b, (struct rn_exprs){0}, E); }
exprs(A) ::= exprs(L) COMMA expr(E). { A = rn_exprs_add(b, L, E); }

/* ---- expressions, weakest first ---- */

expr(A) ::= conj(E). { A = E; }
expr(A) ::= expr(L) OR conj(R). { A = rn_build_binary(b, RN_OP_OR, L, R); }
conj(A) ::= neg(E). { A = E; }
conj(A) ::= conj(L) AND neg(R). { A = rn_build_binary(b, RN_OP_AND, L, R); }
neg(A) ::= cmp(E). { A = E; }
neg(A) ::= NOT(T) neg(E). { A = rn_build_unary(b, RN_OP_NOT, T, E); }
cmp(A) ::= bits(E). { A = E; }
cmp(A) ::= bits(L) cmpop(O) bits(R). { A = rn_build_binary(b, O, L, R); }
cmp(A) ::= bits(L) EQ IN(W). { A = rn_build_binary(b, RN_OP_EQ, L, rn_build_name(b, W)); }
cmp(A) ::= bits(L) NE IN(W). { A = rn_build_binary(b, RN_OP_NE, L, rn_build_name(b, W)); }
cmp(A) ::= bits(E) IN LPAREN items(L) RPAREN(C). { A = rn_build_in(b, E, L, C, false); }
cmp(A) ::= bits(E) NOT IN LPAREN items(L) RPAREN(C). { A = rn_build_in(b, E, L, C, true); }
cmp(A) ::= bits(E) IN LPAREN query(Q) RPAREN(C). { A = rn_build_in_query(b, E, Q, C, false); }
cmp(A) ::= bits(E) NOT IN LPAREN query(Q) RPAREN(C). { A = rn_build_in_query(b, E, Q, C, true); }
cmp(A) ::= bits(E) IN LIVE(L) LPAREN query(Q) RPAREN(C). {
	A = rn_build_in_live(b, E, L, Q, C, false);
}
cmp(A) ::= bits(E) NOT IN LIVE(L) LPAREN query(Q) RPAREN(C). {
	A = rn_build_in_live(b, E, L, Q, C, true);
}
cmp(A) ::= bits(E) BETWEEN bits(L) AND bits(H). { A = rn_build_between(b, E, L, H, false); }
cmp(A) ::= bits(E) NOT BETWEEN bits(L) AND bits(H). { A = rn_build_between(b, E, L, H, true); }
cmp(A) ::= bits(E) IS NULLWORD(T). { A = rn_build_is_null(b, E, T, false); }
cmp(A) ::= bits(E) IS NOT NULLWORD(T). { A = rn_build_is_null(b, E, T, true); }
cmpop(A) ::= EQ. { A = RN_OP_EQ; }
cmpop(A) ::= NE. { A = RN_OP_NE; }
cmpop(A) ::= LT. { A = RN_OP_LT; }
cmpop(A) ::= LE. { A = RN_OP_LE; }
cmpop(A) ::= GT. { A = RN_OP_GT; }
cmpop(A) ::= GE. { A = RN_OP_GE; }
cmpop(A) ::= GLOB. { A = RN_OP_GLOB; }
cmpop(A) ::= NGLOB. { A = RN_OP_NGLOB; }
cmpop(A) ::= REGEX. { A = RN_OP_REGEX; }
bits(A) ::= xor(E). { A = E; }
bits(A) ::= bits(L) BITOR xor(R). { A = rn_build_binary(b, RN_OP_BITOR, L, R); }
xor(A) ::= both(E). { A = E; }
xor(A) ::= xor(L) BITXOR both(R). { A = rn_build_binary(b, RN_OP_BITXOR, L, R); }
both(A) ::= shift(E). { A = E; }
both(A) ::= both(L) BITAND shift(R). { A = rn_build_binary(b, RN_OP_BITAND, L, R); }
shift(A) ::= sum(E). { A = E; }
shift(A) ::= shift(L) SHL sum(R). { A = rn_build_binary(b, RN_OP_SHL, L, R); }
shift(A) ::= shift(L) SHR sum(R). { A = rn_build_binary(b, RN_OP_SHR, L, R); }
sum(A) ::= product(E). { A = E; }
sum(A) ::= sum(L) PLUS product(R). { A = rn_build_binary(b, RN_OP_ADD, L, R); }
sum(A) ::= sum(L) MINUS product(R). { A = rn_build_binary(b, RN_OP_SUB, L, R); }
product(A) ::= signed(E). { A = E; }
product(A) ::= product(L) STAR signed(R). { A = rn_build_binary(b, RN_OP_MUL, L, R); }
product(A) ::= product(L) SLASH signed(R). { A = rn_build_binary(b, RN_OP_DIV, L, R); }
product(A) ::= product(L) MOD signed(R). { A = rn_build_binary(b, RN_OP_MOD, L, R); }
signed(A) ::= primary(E). { A = E; }
signed(A) ::= MINUS(T) signed(E). { A = rn_build_unary(b, RN_OP_NEG, T, E); }
primary(A) ::= LPAREN(O) expr(E) RPAREN(C). { A = rn_build_parens(O, E, C); }
primary(A) ::= LPAREN(O) query(Q) RPAREN(C). { A = rn_build_asked(b, O, Q, C); }
primary(A) ::= ID(N). { A = rn_build_name(b, N); }
primary(A) ::= ID(N) LPAREN args(L) RPAREN(C). { A = rn_build_call(b, N, L, C); }
primary(A) ::= ID(N) LPAREN args(L) WHERE expr(E) RPAREN(C). {
	A = rn_build_call(b, N, rn_exprs_add(b, L, E), C);
	A->partial = true;
}
primary(A) ::= ID(N) LPAREN args(L) RPAREN(C) STEPS(T).
	{ A = rn_build_steps(b, rn_build_call(b, N, L, C), T); }
primary(A) ::= PATH(T). { A = rn_build_name(b, T); }
primary(A) ::= PARAM(T). { A = rn_build_name(b, T); }
primary(A) ::= INT(T). { A = rn_build_literal(b, T); }
primary(A) ::= FLOAT(T). { A = rn_build_literal(b, T); }
primary(A) ::= DURATION(T). { A = rn_build_literal(b, T); }
primary(A) ::= SIZE(T). { A = rn_build_literal(b, T); }
primary(A) ::= RATE(T). { A = rn_build_literal(b, T); }
primary(A) ::= STRING(T). { A = rn_build_literal(b, T); }
primary(A) ::= HEX(T). { A = rn_build_literal(b, T); }
primary(A) ::= TRUE(T). { A = rn_build_literal(b, T); }
primary(A) ::= FALSE(T). { A = rn_build_literal(b, T); }

%code {
/* What the tables do with a token in a state, without fallback. */
static YYACTIONTYPE plain_action(YYACTIONTYPE state, YYCODETYPE token)
{
	int i;

	if (state > YY_MAX_SHIFT)
		return state;
	i = yy_shift_ofst[state] + token;
	return yy_lookahead[i] == token ? yy_action[i] : yy_default[state];
}

int rn_grammar_tokens(void)
{
	return YYNTOKEN;
}

/* Runs the automaton on a copy of its states until the token is shifted (true) or refused. */
bool rn_grammar_accepts(void *parser, int kind)
{
	yyParser *p = parser;
	YYACTIONTYPE states[2048 + 8];
	int top = 0;

	for (yyStackEntry *e = p->yystack; e <= p->yytos; e++)
		states[top++] = e->stateno;
	top--;
	for (;;) {
		YYACTIONTYPE act = plain_action(states[top], (YYCODETYPE)kind);
		unsigned rule;

		if (act == YY_ACCEPT_ACTION)
			return true;
		if (act < YY_MIN_REDUCE)
			return act <= YY_MAX_SHIFTREDUCE;
		rule = act - YY_MIN_REDUCE;
		/* negative: the number of symbols on the right, which are popped */
		top += yyRuleInfoNRhs[rule];
		act = yy_find_reduce_action(states[top], (YYCODETYPE)yyRuleInfoLhs[rule]);
		if (top + 1 >= (int)(sizeof(states) / sizeof(*states)))
			return false;
		if (act > YY_MAX_SHIFT && act <= YY_MAX_SHIFTREDUCE)
			act += YY_MIN_REDUCE - YY_MIN_SHIFTREDUCE;
		states[++top] = act;
		if (act == YY_ACCEPT_ACTION)
			return true;
	}
}
}
