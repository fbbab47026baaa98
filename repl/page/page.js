/* page.js - shows a flow: the timeline beside the graph. repl/picture/html.c says how its data is.
 *
 * Texts of others are set as text (textContent, fillText), never as markup. Both pictures draw only
 * what is in view, and lines that fall on the same points once. */
"use strict";
(() => {
const $ = (id) => document.getElementById(id);
const root = document.documentElement;

/* ---- data ---- */

const KINDS = ["process", "file", "socket", "pipe", "device"];

/* By index: patterns in place of `r` take five times as long for many rows. */
function read() {
	const d = JSON.parse($("data").textContent), text = d.texts;

	d.nodes = d.nodes.map((r) => ({name: r[0], lacks: r[1], clock: r[2]}));
	d.lanes = d.lanes.map((r) => ({node: r[0], proc: text[r[1]], pid: r[2], processes: r[3]}));
	d.boxes = d.boxes.map((r, i) => ({i, lane: r[0], count: r[1], hop: r[2], last: r[3],
		at: r[4], begin: r[5], end: r[6], clock: r[7], bytes: r[8], name: text[r[9]],
		object: text[r[10]], tags: text[r[11]], color: r[12], depth: r[13],
		timed: r[14] & 1, dir: r[15], lacks: text[r[16]], uses: r[17], in: [], out: [],
		row: -1, col: 0, found: false, hay: "", drawn: 0}));
	d.edges = d.edges.map((r) => ({from: d.boxes[r[0]], to: d.boxes[r[1]], count: r[2],
		choices: r[3], lag: r[4], link: text[r[5]], tags: text[r[6]], color: r[7],
		timed: r[8] & 1}));
	for (const e of d.edges) {
		e.from.out.push(e);
		e.to.in.push(e);
	}
	d.vertices = d.vertices.map((r) => ({kind: KINDS[r[0]], name: text[r[1]], pid: r[2],
		node: d.nodes[r[3]], lane: r[4], first: r[5], last: r[6], hops: r[7], layer: r[8],
		place: r[9], uses: [], row: -1, gx: 0, gy: 0}));
	d.uses = d.uses.map((r) => ({from: d.vertices[r[0]], to: d.vertices[r[1]],
		word: text[r[2]], hops: r[3], bytes: r[4], first: r[5], last: r[6], clock: r[7],
		links: text[r[8]], choices: r[9], tags: text[r[10]], color: r[11],
		lacks: text[r[12]], boxes: [], row: -1}));
	for (const u of d.uses)
		for (const v of [u.from, u.to])
			v.uses.push(u);
	for (const b of d.boxes) {
		b.uses = b.uses.map((i) => d.uses[i]);
		b.uses.forEach((u) => u.boxes.push(b));
	}
	for (const node of d.nodes.keys()) /* those that have no lane get an empty one */
		if (!d.lanes.some((l) => l.node === node))
			d.lanes.push({node, proc: "", pid: 0, processes: 0});
	return d;
}

/* ---- words ---- */

function scaled(v, step, units, digits) {
	let i = 0;

	for (; Math.abs(v) >= step * 0.9995 && i + 1 < units.length; i++)
		v /= step;
	return (Number.isInteger(v) && !i ? v : v.toPrecision(digits || 3)) + " " + units[i];
}
function duration(ns, digits) {
	return Math.abs(ns) < 999.5e9 ? scaled(ns, 1000, ["ns", "us", "ms", "s"], digits)
		: commas(Math.round(ns / 1e9)) + " s";
}
const size = (n) => scaled(n, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]);
/* Without a locale, whose first use takes long. */
const commas = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
const many = (n, one, more) => commas(n) + " " + (n === 1 ? one : more || one + "s");
const DIRS = ["", "in", "out"];
const call = (b) => DIRS[b.dir] || b.name;
const bound = (ns) => ns < 0 ? "unknown" : "+-" + duration(ns);

function clock(ns) { /* a time of day, to the microsecond */
	const at = BigInt(D.first) + BigInt(Math.round(ns)), ms = at / 1000000n;
	const date = new Date(Number(ms)), two = (n) => String(n).padStart(2, "0");

	return date.getFullYear() + "-" + two(date.getMonth() + 1) + "-" + two(date.getDate()) +
		" " + two(date.getHours()) + ":" + two(date.getMinutes()) + ":" +
		two(date.getSeconds()) + "." + String(at % 1000000000n / 1000n).padStart(6, "0");
}
function process(l) {
	return !l.processes ? "" : l.processes > 1
		? (l.proc ? l.proc + ", " : "") + many(l.processes, "process", "processes")
		: (l.proc ? l.proc + " " : "") + l.pid;
}
const isLong = (ns) => ns > 0 && ns >= D.last / 20; /* as rn_picture_is_long */
const links = (edges) => edges.reduce((sum, e) => sum + e.count, 0);
const evidence = (e) => (e.link || "several ways") + (e.choices > 1 ? ", 1 of " + e.choices : "") +
	(e.count > 1 ? ", " + e.count + " links" : "");
const hops = (b) =>
	b.count > 1 ? b.hop + " to " + b.last + ", " + many(b.count, "hop") : "" + b.hop;

function shorten(s, n) { /* its middle goes: the end of a path says most */
	const head = Math.ceil(n / 3);

	if (s.length <= n)
		return s;
	return n < 4 ? s.slice(0, Math.max(n, 0))
		: s.slice(0, head) + "\u2026" + s.slice(s.length - (n - head - 1));
}
const objectOf = (b) => b.object || (D.folded ? "several objects" : "");
const titled = (b) => hops(b) + ": " + [process(D.lanes[b.lane]), call(b), objectOf(b)].join(" ");

/* ---- the state ---- */

const D = read();
/* A slot of the timeline is as high as a row. rowOf: the row of each slot, for a gap the one behind
 * it; slotOf: the slot of each row; gaps: [slot, ns] */
const S = {shown: [], lanes: [], edges: [], gaps: [], rowOf: [], slotOf: [],
	focus: null, over: null, finds: [], cursor: 0};
const filters = {
	tag: (b, v) => ("," + b.tags + ",").includes("," + v + ","),
	node: (b, v) => D.nodes[D.lanes[b.lane].node].name === v,
	proc: (b, v) => D.lanes[b.lane].proc === v,
};

/* Places what the filters leave: rows and columns of the timeline, layers of the graph. */
function arrange() {
	const chosen = Object.keys(filters).filter((k) => $(k).selectedIndex > 0);

	for (const b of D.boxes)
		b.row = -1;
	S.shown = D.boxes.filter((b) => chosen.every((k) => filters[k](b, $(k).value)));
	const used = new Set(S.shown.map((b) => b.lane));
	S.lanes = [...D.lanes.keys()].filter((i) => used.has(i) || (!D.lanes[i].processes &&
		["", D.nodes[D.lanes[i].node].name].includes($("node").value)))
		.map((lane, col) => ({lane, col, first: -1, last: -1}));
	const of = new Map(S.lanes.map((l) => [l.lane, l]));
	let gap = 0;
	S.gaps = [];
	S.rowOf = [];
	S.slotOf = [];
	S.shown.forEach((b, row) => {
		const l = of.get(b.lane), before = S.shown[row - 1];
		let ns = 0;

		for (; gap < D.gaps.length && D.gaps[gap][0] <= b.i; gap++)
			ns = D.gaps[gap][1];
		if (ns && before) { /* the gap has a slot, too */
			ns = before.i + 1 === b.i ? ns : b.at - before.end;
			S.gaps.push([S.rowOf.length, ns]);
			S.rowOf.push(row);
		}
		S.slotOf.push(S.rowOf.length);
		S.rowOf.push(row);
		b.row = row;
		b.col = l.col;
		l.first = l.first < 0 ? row : l.first;
		l.last = row;
	});
	S.edges = D.edges.filter((e) => e.from.row >= 0 && e.to.row >= 0);
	arrangeGraph();
	if (S.focus && S.focus.row < 0)
		S.focus = null;
	$("cursor").max = Math.max(1, S.shown.length);
	setCursor(S.shown.length);
	find();
}
/* What the hops that are shown use. An edge without hops stands between vertices that are shown. */
function arrangeGraph() {
	const layers = new Map();

	for (const v of D.vertices)
		v.row = -1;
	for (const u of D.uses) {
		u.row = (u.boxes.find((b) => b.row >= 0) || u).row;
		for (const v of u.boxes.length && u.row >= 0 ? [u.from, u.to] : [])
			v.row = v.row < 0 ? u.row : Math.min(v.row, u.row);
	}
	for (const u of D.uses)
		if (!u.boxes.length)
			u.row = Math.min(u.from.row, u.to.row) < 0 ? -1 : u.to.row;
	for (const v of D.vertices.filter((v) => v.row >= 0))
		layers.set(v.layer, [...layers.get(v.layer) || [], v]);
	S.uses = D.uses.filter((u) => u.row >= 0);
	S.layers = [...layers.keys()].sort((a, b) => a - b).map((k) => layers.get(k));
	S.layers.forEach((l, y) => l.sort((a, b) => a.place - b.place).forEach((v, i) => {
		v.gx = (i - (l.length - 1) / 2) * STEP_X;
		v.gy = y * STEP_Y;
	}));
	S.wide = Math.max(1, ...S.layers.map((l) => l.length));
}
function setCursor(row) { /* so many rows are up to the cursor */
	S.cursor = row;
	$("cursor").value = row;
	$("when").textContent = row > 0 && row < S.shown.length
		? duration(S.shown[row - 1].at) : "all";
	redraw();
}
const later = (b) => b.row >= S.cursor;

/* ---- drawing ---- */

const COLORS = ["c0", "c1", "c2", "c3", "c4", "c5"];
let ink = {}, queued = false;

function takeColors() {
	const style = getComputedStyle(root);

	for (const k of ["surface", "band", "ink", "faint", "line", "bad", "bad-band", "hit",
		     "focus", ...COLORS])
		ink[k] = style.getPropertyValue("--" + k).trim();
	redraw();
}
function redraw(view) { /* or both */
	for (const v of view ? [view] : [timeline, graph])
		v.stale = true;
	if (!queued)
		requestAnimationFrame(drawStale);
	queued = true;
}
function drawStale() {
	queued = false;
	for (const v of [timeline, graph])
		if (v.stale) {
			v.stale = false;
			v.draw();
		}
	if (root.dataset.state !== "ready") {
		root.dataset.state = "ready";
		performance.mark("drawn");
	}
}

const SMALL = "11px ui-monospace, 'DejaVu Sans Mono', 'Liberation Mono', Menlo, monospace";
const LETTER = 6.63; /* wide, at most, of that font */
const STEP_X = 218, STEP_Y = 66, BOX_X = 200, BOX_Y = 36; /* of the graph */
const AXIS = 82, HEAD_FLAT = 42, HEAD_TURNED = 128, NODE = 20;

function text(c, s, x, y, room, color, font) {
	s = shorten(s, Math.floor(room / LETTER));
	if (!s)
		return 0;
	c.font = font || SMALL;
	c.fillStyle = ink[color];
	c.fillText(s, x, y, Math.max(room, 1));
	return s.length * LETTER;
}
/* While a picture moves, it shows some of many lines: so many. */
const MOVING = 1200, REST_MS = 160;
const some = (edges, view) => view.moves && edges.length > MOVING
	? edges.filter((e, i) => i * MOVING % edges.length < MOVING) : edges;

/* One path for all lines of a colour and a pattern; those with the same ends are drawn once. */
class Lines {
	constructor() {
		this.paths = new Map();
		this.n = 0;
		this.last = new Float64Array(16384);
	}
	path(key) {
		if (!this.paths.has(key))
			this.paths.set(key, new Path2D());
		return this.paths.get(key);
	}
	isNew(x1, y1, x2, y2) {
		const ends = [x1, y1, x2, y2].map(Math.round);
		const key = ends.reduce((sum, x) => sum * 4001 + x), at = Math.abs(key % 16381);

		if (this.last[at] === key)
			return false;
		this.last[at] = key;
		this.n++;
		return true;
	}
	draw(c) {
		for (const [key, p] of this.paths) {
			const [color, guess, faint] = key.split(" ");

			c.strokeStyle = ink[color];
			/* lines of a point's width are quick to draw */
			c.lineWidth = this.n > 500 ? 1 / c.getTransform().a : 1.3;
			c.globalAlpha = (this.n > 3000 ? 0.1 : 0.85) * (faint === "1" ? 0.25 : 1);
			c.setLineDash(guess === "1" ? [5, 4] : []);
			c.stroke(p);
		}
		c.globalAlpha = 1;
		c.setLineDash([]);
	}
}
const lineKey = (e) =>
	COLORS[e.color] + (e.choices > 1 ? " 1" : " 0") +
	(later(e.row === undefined ? e.to : e) ? " 1" : " 0");

function arrow(p, x, y, dx, dy) { /* its point at x, y */
	const n = Math.hypot(dx, dy) || 1, ux = dx / n * 6, uy = dy / n * 6;

	p.moveTo(x - ux - uy / 2, y - uy + ux / 2);
	p.lineTo(x, y);
	p.lineTo(x - ux + uy / 2, y - uy - ux / 2);
}
/* A hop: in is a ring, out a square, another call a diamond; with a bar if its other side or its
 * origin is not known. */
function mark(c, b, x, y, r) {
	c.globalAlpha = later(b) ? 0.25 : 1;
	c.strokeStyle = c.fillStyle = ink[COLORS[b.color]];
	c.lineWidth = 1.8;
	c.beginPath();
	if (b.dir === 1)
		c.arc(x, y, r, 0, 7);
	else if (b.dir === 2)
		c.rect(x - r, y - r, 2 * r, 2 * r);
	else
		c.moveTo(x, y - r), c.lineTo(x + r, y), c.lineTo(x, y + r), c.lineTo(x - r, y),
			c.closePath();
	if (b.dir === 1) {
		c.fillStyle = ink.surface;
		c.fill();
		c.stroke();
	} else {
		c.fill();
	}
	if (b.lacks && r > 2) {
		c.fillStyle = ink.bad;
		c.fillRect(x - r - 5, y - r - 1, 2.5, 2 * r + 2);
	}
	c.globalAlpha = 1;
}
/* A point for many: only what is new to the canvas is set. */
class Points {
	constructor(c) {
		this.c = c;
		this.style = "";
		this.drawn = new Set();
	}
	draw(b, color, x, y, w, h) {
		const style = ink[color] + (later(b) ? "40" : "");
		const at = (Math.round(x) * 8192 + Math.round(y)) * 8 + COLORS.indexOf(color) + 1;
		if (this.drawn.has(at))
			return;
		this.drawn.add(at);
		if (style !== this.style)
			this.c.fillStyle = this.style = style;
		this.c.fillRect(Math.round(x), Math.round(y), Math.max(1, Math.round(w)),
			Math.max(1, Math.round(h)));
	}
}
function line(c, from, to, y, color, dash) {
	c.strokeStyle = ink[color];
	c.setLineDash(dash);
	c.lineWidth = 1;
	c.beginPath();
	c.moveTo(from, y);
	c.lineTo(to, y);
	c.stroke();
	c.setLineDash([]);
}
function hatch(c, x, y, w, h) {
	c.save();
	c.beginPath();
	c.rect(x, y, w, h);
	c.clip();
	c.beginPath();
	for (let i = -h; i < w; i += 9)
		c.moveTo(x + i, y + h), c.lineTo(x + i + h, y);
	c.strokeStyle = ink.bad;
	c.globalAlpha = 0.22;
	c.lineWidth = 1;
	c.stroke();
	c.restore();
}
function around(c, b, x, y, w, h) { /* what is looked at, and what was found */
	for (const [is, color] of [
		     [b.found, "hit"], [b === S.over, "faint"], [b === S.focus, "focus"]])
		if (is) {
			c.strokeStyle = ink[color];
			c.lineWidth = 2.5;
			c.strokeRect(x, y, w, h);
		}
}

/* A canvas that shows a part of a plane: a point p of it is at p * k - at. */
class View {
	constructor(id) {
		this.canvas = $(id);
		this.c = this.canvas.getContext("2d");
		this.x = this.y = 0;
		this.kx = this.ky = 1;
		this.fitted = false;
		this.canvas.setAttribute("aria-label", $("h-" + id).textContent);
		this.listen();
	}
	resize(w, h, ratio) {
		const r = ratio || devicePixelRatio || 1;

		this.w = w || this.canvas.clientWidth;
		this.h = h || this.canvas.clientHeight;
		this.canvas.width = Math.max(1, Math.round(this.w * r));
		this.canvas.height = Math.max(1, Math.round(this.h * r));
		this.ratio = r;
	}
	begin() {
		const c = this.c;

		c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		c.direction = "ltr";
		c.textBaseline = "middle";
		c.textAlign = "left";
		c.fillStyle = ink.surface;
		c.fillRect(0, 0, this.w, this.h);
		return c;
	}
	move(dx, dy) {
		this.x += dx;
		this.y += dy;
		this.moved();
	}
	moved() {
		this.hold();
		this.moves = true;
		clearTimeout(this.rest);
		this.rest = setTimeout(() => {
			this.moves = false;
			redraw(this);
		}, REST_MS);
		redraw(this);
	}
	zoom(factor, px, py) {
		const [x0, y0] = this.origin(), kx = this.kx, ky = this.ky;

		px = px === undefined ? this.w / 2 : px;
		py = py === undefined ? this.h / 2 : py;
		this.scale(factor);
		this.x = (this.x + px - x0) * this.kx / kx - px + x0;
		this.y = (this.y + py - y0) * this.ky / ky - py + y0;
		this.moved();
	}
	listen() {
		const at = (ev) => {
			const r = this.canvas.getBoundingClientRect();

			return [ev.clientX - r.left, ev.clientY - r.top];
		};
		let from = null, moved = false;

		this.canvas.addEventListener("wheel", (ev) => {
			const step = ev.deltaMode ? 30 : 1;

			ev.preventDefault();
			if (ev.shiftKey)
				this.move(ev.deltaY * step || ev.deltaX * step, 0);
			else
				this.zoom(Math.exp(-ev.deltaY * step * 0.0016), ...at(ev));
		}, {passive: false});
		this.canvas.addEventListener("pointerdown", (ev) => {
			from = [ev.clientX, ev.clientY];
			moved = false;
			this.canvas.setPointerCapture(ev.pointerId);
		});
		this.canvas.addEventListener("pointermove", (ev) => {
			if (!from)
				return hover(this, ...at(ev), ev);
			moved = moved || Math.hypot(ev.clientX - from[0], ev.clientY - from[1]) > 3;
			if (moved) {
				this.move(from[0] - ev.clientX, from[1] - ev.clientY);
				from = [ev.clientX, ev.clientY];
			}
		});
		this.canvas.addEventListener("pointerup", (ev) => {
			if (from && !moved)
				focus(this.boxAt(...at(ev)), this);
			from = null;
		});
		this.canvas.addEventListener("pointerleave", () => hover(null));
	}
}

/* ---- the timeline ---- */

class Timeline extends View {
	origin() {
		return [AXIS, this.head()];
	}
	head() {
		return this.kx >= 84 ? HEAD_FLAT : this.kx >= 13 ? HEAD_TURNED : NODE + 4;
	}
	scale(f) {
		const least = Math.min(20, (this.h - HEAD_FLAT) / (S.rowOf.length + 1));

		this.ky = Math.min(60, Math.max(least, this.ky * f));
		f = Math.sqrt(f);
		this.kx = Math.min(420, Math.max(Math.min(84, this.fitX()), this.kx * f));
	}
	fitX() {
		return (this.w - AXIS - 8) / Math.max(1, S.lanes.length);
	}
	fit(whole) {
		const room = this.h - HEAD_TURNED;

		this.kx = Math.min(260, Math.max(whole ? 0.5 : 24, this.fitX()));
		this.ky = Math.min(34, Math.max(whole ? 0.02 : 19, room / (S.rowOf.length + 0.5)));
		this.x = this.y = 0;
		redraw();
	}
	hold() { /* a part of the picture stays in view */
		const wide = S.lanes.length * this.kx - (this.w - AXIS) * 0.7,
			high = S.rowOf.length * this.ky - (this.h - this.head()) * 0.7;

		this.x = Math.max(-this.w * 0.2, Math.min(this.x, Math.max(wide, 0)));
		this.y = Math.max(-this.h * 0.2, Math.min(this.y, Math.max(high, 0)));
	}
	px(col) {
		return AXIS + (col + (this.kx >= 84 ? 0.16 : 0.5)) * this.kx - this.x;
	}
	py(row) {
		return this.slotY(S.slotOf[row]);
	}
	slotY(slot) {
		return this.head() + (slot + 0.5) * this.ky - this.y;
	}
	rowAt(py) {
		const slot = Math.floor((py - this.head() + this.y) / this.ky);

		return slot < 0 ? 0 : slot < S.rowOf.length ? S.rowOf[slot] : S.shown.length;
	}
	show(b) {
		const x = this.px(b.col), y = this.py(b.row), head = this.head();

		if (y < head + 8 || y > this.h - 12)
			this.y += y - (head + this.h) / 2;
		if (x < AXIS + 8 || x > this.w - 60)
			this.x += x - (AXIS + this.w) / 2;
		this.hold();
	}
	rows() {
		return [this.rowAt(this.head()), Math.min(S.shown.length, this.rowAt(this.h) + 1)];
	}
	boxAt(px, py) {
		const at = this.rowAt(py), near = Math.ceil(4 / this.ky);

		if (py < this.head())
			return null;
		for (let d = 0; d <= near; d++)
			for (const b of [S.shown[at + d], S.shown[at - d]])
				if (b &&
					Math.abs(this.py(b.row) - py) <= Math.max(5, this.ky / 2) &&
					this.covers(b, px))
					return b;
		return null;
	}
	covers(b, px) {
		const x = this.px(b.col);

		return Math.abs(px - x) < 9 || (this.ky >= 13 && (this.leftward(b)
			? px < x && px > x - b.drawn : px > x && px < x + b.drawn));
	}
	leftward(b) {
		const x = this.px(b.col);

		return x - AXIS > (this.w - AXIS) * 0.62 && x <= this.w + 20;
	}
	ends(e) {
		return [this.px(e.from.col), this.py(e.from.row),
			this.px(e.to.col), this.py(e.to.row)];
	}
	bow(y1, y2) { /* of an edge within a column */
		return Math.min(this.kx * 0.42, 8 + Math.abs(y2 - y1) * 0.1, 40);
	}
	distance(e, px, py) {
		let [x1, y1, x2, y2] = this.ends(e);

		if (e.from.col === e.to.col)
			x1 = x2 = x1 - this.bow(y1, y2) * 0.7;
		return fromLine(px, py, x1, y1, x2, y2);
	}
	draw() {
		const c = this.begin(), head = this.head();

		c.save();
		c.beginPath();
		c.rect(AXIS, 0, this.w - AXIS, this.h);
		c.clip();
		this.drawNodes(c, head);
		c.beginPath();
		c.rect(AXIS, head, this.w - AXIS, this.h - head);
		c.clip();
		this.drawLives(c);
		this.drawEdges(c);
		this.drawGaps(c);
		this.drawBoxes(c);
		if (!S.shown.length)
			text(c, D.boxes.length ? "The filters leave no hop." : "No hop was seen.",
				AXIS + 20, head + 30, this.w, "ink");
		c.restore();
		this.drawAxis(c, head);
		this.drawCursor(c, head);
	}
	drawNodes(c, head) {
		for (let i = 0, j; i < S.lanes.length; i = j) {
			const node = D.nodes[D.lanes[S.lanes[i].lane].node];
			const x = AXIS + i * this.kx - this.x;

			for (j = i; j < S.lanes.length &&
				D.nodes[D.lanes[S.lanes[j].lane].node] === node;)
				j++;
			const w = (j - i) * this.kx;
			if (x + w < AXIS || x > this.w)
				continue;
			c.fillStyle = ink[node.lacks ? "bad-band" : "band"];
			c.fillRect(x + 1, 0, w - 2, this.h);
			if (node.lacks)
				hatch(c, x + 1, NODE, w - 2, this.h);
			const left = Math.max(x, AXIS);
			text(c, node.name + (node.clock > 0 ? " " + bound(node.clock)
				: node.clock < 0 ? " (clock unknown)" : "") +
				(node.lacks ? " (incomplete)" : ""), left + 6, NODE / 2 + 1,
				Math.min(x + w, this.w) - left - 8,
				node.lacks ? "bad" : "ink", "bold " + SMALL);
		}
		for (const l of S.lanes)
			this.drawName(c, l, head);
	}
	drawName(c, l, head) {
		const x = this.px(l.col), lane = D.lanes[l.lane];

		if (x < AXIS - this.kx || x > this.w + this.kx || this.kx < 13)
			return;
		if (this.kx >= 84) {
			text(c, process(lane), x - 8, NODE + 11, this.kx - 6, "ink");
			return;
		}
		c.save();
		c.translate(x, head - 5);
		c.rotate(-Math.PI / 2);
		text(c, process(lane), 0, 0, head - NODE - 8, "ink");
		c.restore();
	}
	drawLives(c) {
		c.beginPath();
		for (const l of S.lanes) {
			const x = Math.round(this.px(l.col)) + 0.5;

			if (x < AXIS || x > this.w || l.first < 0)
				continue;
			c.moveTo(x, Math.max(-9, this.py(l.first)));
			c.lineTo(x, Math.min(this.h + 9, this.py(l.last)));
		}
		c.strokeStyle = ink.line;
		c.lineWidth = 1;
		c.stroke();
	}
	drawGaps(c) {
		for (const [slot, ns] of S.gaps) {
			const y = Math.round(this.slotY(slot)) + 0.5, s = duration(ns) + " later";

			line(c, AXIS, this.w, y, "faint", [1, 3]);
			if (this.ky < 13)
				continue;
			c.fillStyle = ink.band;
			c.fillRect(AXIS + 24, y - 7, s.length * LETTER + 8, 14);
			text(c, s, AXIS + 28, y, 200, "ink");
		}
	}
	drawEdges(c) {
		const [from, to] = this.rows(), lines = new Lines();
		const seen = S.edges.filter((e) => Math.max(e.from.row, e.to.row) >= from &&
			Math.min(e.from.row, e.to.row) < to);
		for (const e of some(seen, this)) {
			const [x1, y1, x2, y2] = this.ends(e);

			if ((x1 < AXIS && x2 < AXIS) || (x1 > this.w && x2 > this.w) ||
				!lines.isNew(x1, y1, x2, y2))
				continue;
			const p = lines.path(lineKey(e));
			p.moveTo(x1, y1);
			if (e.from.col === e.to.col) {
				const left = x1 - this.bow(y1, y2);

				p.bezierCurveTo(left, y1, left, y2, x2, y2);
				if (this.ky > 9)
					arrow(p, x2 - 5, y2, 1, 0);
			} else {
				p.lineTo(x2, y2);
				if (this.ky > 9 || this.kx > 40)
					arrow(p, x2 - (x2 > x1 ? 6 : -6),
						y2 - 6 * (y2 - y1) / Math.abs(x2 - x1), x2 - x1,
						y2 - y1);
			}
		}
		lines.draw(c);
	}
	drawBoxes(c) {
		const [from, to] = this.rows(), r = Math.min(5, Math.max(1, this.ky * 0.28));
		const small = this.ky < 7, points = new Points(c);

		for (let i = from; i < to; i++) {
			const b = S.shown[i], x = this.px(b.col), y = this.py(i);

			b.drawn = 0;
			if (small) {
				points.draw(b, b.found ? "hit" : b.lacks ? "bad" : COLORS[b.color],
					x - 3, y - r, b.found ? 9 : 6, 2 * r);
			} else {
				if (this.ky >= 13)
					this.drawLabel(c, b, x, y);
				if (x > AXIS - 20 && x < this.w + 20)
					mark(c, b, x, y, r);
			}
			if (b.found || b === S.over || b === S.focus)
				around(c, b, x - r - 4, y - r - 4, 2 * r + 8, 2 * r + 8);
		}
	}
	drawLabel(c, b, x, y) {
		const left = this.leftward(b), room = left ? x - AXIS - 22 : this.w - x - 22;

		if (x < AXIS - 20 || x > this.w + 20)
			return;
		const s = labelOf(b, Math.floor(room / LETTER)), w = s.length * LETTER;
		c.globalAlpha = 0.82;
		c.fillStyle = ink[D.nodes[D.lanes[b.lane].node].lacks ? "bad-band" : "band"];
		c.fillRect(left ? x - 13 - w : x + 9, y - 7, w + 4, 14);
		c.globalAlpha = later(b) ? 0.35 : 1;
		text(c, s, left ? x - 11 - w : x + 11, y, w + 2,
			b.lacks && !D.folded ? "bad" : "ink");
		c.globalAlpha = 1;
		b.drawn = w + 14;
	}
	drawAxis(c, head) {
		const [from, to] = this.rows(), each = Math.max(1, Math.ceil(17 / this.ky));

		c.fillStyle = ink.surface;
		c.fillRect(0, 0, AXIS - 1, this.h);
		c.save();
		c.beginPath();
		c.rect(0, head, AXIS, this.h - head);
		c.clip();
		c.textAlign = "right";
		for (let i = Math.ceil(from / each) * each; i < to; i += each) {
			const b = S.shown[i];

			text(c, (b.timed ? "" : "<") + duration(b.at, 5), AXIS - 6, this.py(i),
				AXIS - 6, "faint");
		}
		c.restore();
		c.textAlign = "left";
		text(c, "since", 8, NODE / 2 + 1, AXIS - 10, "faint");
		if (head > NODE * 2)
			text(c, "the first", 8, NODE + 11, AXIS - 10, "faint");
	}
	drawCursor(c, head) {
		const set = S.cursor > 0 && S.cursor < S.shown.length;

		if (set && this.py(S.cursor) > head)
			line(c, 0, this.w, this.py(S.cursor) - this.ky / 2, "focus", []);
		if (S.pointer > head) {
			const row = Math.min(S.shown.length - 1, this.rowAt(S.pointer));

			line(c, 0, this.w, S.pointer, "faint", [2, 3]);
			if (S.shown[row]) {
				c.fillStyle = ink.ink;
				c.fillRect(0, S.pointer - 8, AXIS - 2, 16);
				c.textAlign = "right";
				text(c, duration(S.shown[row].at, 5), AXIS - 6, S.pointer,
					AXIS - 6, "surface");
				c.textAlign = "left";
			}
		}
	}
}
function labelOf(b, letters) { /* the object is cut first */
	const from = D.folded
		? []
		: b.in.slice(0, 3).map((e) => "\u2190" + e.from.hop + " " + evidence(e) +
			(e.timed && isLong(e.lag) ? ", " + duration(e.lag) : ""));
	const took = b.timed && b.count === 1 && isLong(b.end - b.begin)
		? ", took " + duration(b.end - b.begin) : "";
	const tail = (b.count > 1 ? "x" + b.count + " " : "") + size(b.bytes) + took +
		(from.length ? " " : "") + from.join(", ") +
		(from.length && b.in.length > 3 ? ", \u2026" : "") +
		(b.lacks ? " (" + b.lacks + ")" : "");
	const head = b.hop + " " + call(b), room = letters - head.length - tail.length - 2;

	return shorten([head, shorten(objectOf(b), Math.max(room, 10)), tail]
		.filter((x) => x !== "").join(" "), letters);
}

/* ---- the graph ---- */

class Graph extends View {
	origin() {
		return [0, 0];
	}
	scale(f) {
		const least = Math.min(0.3, this.whole());

		this.kx = this.ky = Math.min(2.5, Math.max(least, this.kx * f));
	}
	whole() {
		return Math.min((this.w - 16) / (S.wide * STEP_X),
			(this.h - 16) / (S.layers.length * STEP_Y));
	}
	fit(whole) {
		this.kx = this.ky = Math.min(1.1, Math.max(whole ? 0.001 : 0.8, this.whole()));
		this.x = -this.w / 2;
		this.y = -Math.max(12 + BOX_Y / 2 * this.ky,
			whole ? (this.h - (S.layers.length - 1) * STEP_Y * this.ky) / 2 : 0);
		if (!whole && S.layers.length && S.wide * STEP_X * this.kx > this.w)
			this.x = S.layers[0][0].gx * this.kx - this.w / 2;
		redraw();
	}
	hold() {
		const wide = S.wide * STEP_X * this.kx / 2,
		      high = S.layers.length * STEP_Y * this.ky;

		this.x = Math.max(-wide - this.w * 0.7, Math.min(this.x, wide - this.w * 0.3));
		this.y =
			Math.max(-this.h * 0.7, Math.min(this.y, Math.max(0, high - this.h * 0.3)));
	}
	px(gx) {
		return gx * this.kx - this.x;
	}
	py(gy) {
		return gy * this.ky - this.y;
	}
	show(b) {
		const v = b.uses.length ? b.uses[0].to : null;

		if (!v)
			return;
		const x = this.px(v.gx), y = this.py(v.gy);
		if (y < 20 || y > this.h - 20)
			this.y += y - this.h / 2;
		if (x < 60 || x > this.w - 60)
			this.x += x - this.w / 2;
		this.hold();
	}
	vertexAt(px, py) {
		const layer = S.layers[Math.round((py + this.y) / this.ky / STEP_Y)];
		const i = layer &&
			Math.round((px + this.x) / this.kx / STEP_X + (layer.length - 1) / 2);
		const v = layer && layer[i];

		return v && Math.abs(this.px(v.gx) - px) <= Math.max(4, BOX_X / 2 * this.kx) &&
			Math.abs(this.py(v.gy) - py) <= Math.max(4, BOX_Y / 2 * this.ky) ? v : null;
	}
	boxAt(px, py) { /* the first hop there, or the next one if that is in focus */
		const v = this.vertexAt(px, py), all = v ? boxesOf(v) : [];

		return all[all.indexOf(S.focus) + 1] || all[0] || null;
	}
	ends(e) { /* what leads back stands beside what leads on */
		const half = BOX_Y / 2 * this.ky, down = e.to.gy > e.from.gy ? 1 : -1;
		const aside = down < 0 ? 18 * this.kx : 0;

		return [this.px(e.from.gx) + aside, this.py(e.from.gy) + down * half,
			this.px(e.to.gx) + aside, this.py(e.to.gy) - down * half];
	}
	distance(e, px, py) {
		const [x1, y1, x2, y2] = this.ends(e), xm = (x1 + x2) / 2, ym = (y1 + y2) / 2;

		return Math.min(fromLine(px, py, x1, y1, xm, ym), fromLine(px, py, xm, ym, x2, y2));
	}
	draw() {
		const c = this.begin();

		this.drawEdges(c);
		this.drawVertices(c);
	}
	drawEdges(c) {
		const lines = new Lines(), curved = this.ky > 0.25, said = [];
		const top = this.y / this.ky - BOX_Y, bottom = (this.y + this.h) / this.ky + BOX_Y;
		const seen = S.uses.filter((e) => Math.max(e.from.gy, e.to.gy) >= top &&
			Math.min(e.from.gy, e.to.gy) <= bottom);

		for (const e of some(seen, this)) {
			const [x1, y1, x2, y2] = this.ends(e);

			if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > this.w ||
				!lines.isNew(x1, y1, x2, y2))
				continue;
			const p = lines.path(lineKey(e)), mid = (y1 + y2) / 2;
			p.moveTo(x1, y1);
			if (curved)
				p.bezierCurveTo(x1, mid, x2, mid, x2, y2);
			else
				p.lineTo(x2, y2);
			if (curved)
				arrow(p, x2, y2, (x2 - x1) * 0.1, y2 - y1);
			if (this.ky >= 0.8)
				said.push([e, e.from.uses.length < e.to.uses.length
					? (4 * x1 + x2) / 5 : (x1 + 4 * x2) / 5, mid]);
		}
		lines.draw(c);
		this.drawWords(c, said);
	}
	drawWords(c, said) { /* unless others are there */
		const taken = [];

		for (const [e, x, y] of said) {
			const s = shorten(usedWords(e), 26), w = s.length * LETTER + 8;

			if (taken.some(([tx, ty, tw]) =>
				Math.abs(ty - y) < 14 && x < tx + tw && tx < x + w))
				continue;
			taken.push([x, y, w]);
			c.globalAlpha = 0.85;
			c.fillStyle = ink.surface;
			c.fillRect(x + 2, y - 7, w - 2, 14);
			c.globalAlpha = later(e) ? 0.35 : 1;
			text(c, s, x + 5, y, 180, e.lacks ? "bad" : "faint");
			c.globalAlpha = 1;
		}
	}
	drawVertices(c) {
		const top = (-BOX_Y * this.ky + this.y) / this.ky / STEP_Y;
		const bottom = (this.h + BOX_Y * this.ky + this.y) / this.ky / STEP_Y;
		const last = Math.min(S.layers.length - 1, Math.ceil(bottom));
		const w = BOX_X * this.kx, h = BOX_Y * this.ky, points = new Points(c);

		for (let i = Math.max(0, Math.floor(top)); i <= last; i++) {
			const l = S.layers[i], step = STEP_X * this.kx;
			const first = Math.floor((this.x - w) / step + (l.length - 1) / 2);
			const end = Math.ceil((this.x + this.w + w) / step + (l.length - 1) / 2);

			for (let k = Math.max(0, first); k < Math.min(l.length, end + 1); k++) {
				const v = l[k], x = this.px(v.gx), y = this.py(v.gy);

				if (h < 13)
					points.draw(v, COLORS[v.uses[0].color], x - w / 2,
						y - h / 2, w, h);
				else
					this.drawVertex(c, v, x, y, w, h);
			}
		}
		for (const b of [...new Set([...S.finds, S.focus])])
			for (const v of new Set(b ? b.uses.flatMap((u) => [u.from, u.to]) : []))
				if (v.row >= 0)
					around(c, b, this.px(v.gx) - w / 2 - 3,
						this.py(v.gy) - h / 2 - 3, w + 6, h + 6);
	}
	drawVertex(c, v, x, y, w, h) { /* processes have corners, and what they use is round */
		const two = h >= 28, of = v.kind === "process", node = v.node ? v.node.name : "";

		c.globalAlpha = later(v) ? 0.3 : 1;
		c.fillStyle = ink.band;
		c.strokeStyle = ink[COLORS[v.uses[0].color]];
		c.lineWidth = of ? 2.2 : 1;
		c.beginPath();
		c.roundRect(x - w / 2, y - h / 2, w, h, of ? 0 : h / 2);
		c.fill();
		c.stroke();
		if (v.uses.some((u) => u.lacks)) {
			c.fillStyle = ink.bad;
			c.fillRect(x - w / 2 - 5, y - h / 2, 3, h);
		}
		text(c, of ? named(v) : v.kind + (node ? " on " + node : ""),
			x - w / 2 + (of ? 5 : 12), two ? y - h * 0.22 : y, w - (of ? 10 : 24),
			of ? "ink" : "faint");
		if (two)
			text(c, of ? node : v.name || "several",
				x - w / 2 + (of ? 5 : 12), y + h * 0.24, w - (of ? 10 : 24),
				of ? "faint" : "ink");
		c.globalAlpha = 1;
	}
}
const named = (v) => v.kind === "process" ? process(D.lanes[v.lane]) : v.name || "several objects";
const boxesOf = (v) => [...new Set(v.uses.flatMap((u) => u.boxes))]
	.filter((b) => b.row >= 0).sort((a, b) => a.row - b.row);
const usedWords = (u) => u.word + (u.hops > 1 ? " x" + u.hops : "") +
	(!u.links || u.links === u.word ? "" : " (" + u.links +
	(u.choices > 1 ? ", 1 of " + u.choices : "") + ")");
const usedLines = (u) => [
	named(u.from) + " to " + named(u.to) + ": " + usedWords(u),
	u.bytes ? "bytes: " + size(u.bytes) : "",
	"time: " + duration(u.first) + " to " + duration(u.last) + ", clock " +
		(u.clock ? bound(u.clock) : "exact"),
	"tags: " + shorten(u.tags, 300), u.lacks ? "lacks: " + u.lacks : ""
].filter((x) => x);
const vertexLines = (v) => [
	v.kind + " " + named(v) + (v.node ? " on " + v.node.name : ""),
	"seen: " + duration(v.first) + " to " + duration(v.last) + ", " + many(v.hops, "hop"),
	...v.uses.slice(0, 8).map((u) => u.from === v
		? usedWords(u) + " to " + named(u.to) : usedWords(u) + " from " + named(u.from))
];
function fromLine(px, py, x1, y1, x2, y2) {
	const dx = x2 - x1, dy = y2 - y1;
	const t = Math.max(
		0, Math.min(1, ((px - x1) * dx + (py - y1) * dy) / (dx * dx + dy * dy || 1)));

	return Math.hypot(px - x1 - t * dx, py - y1 - t * dy);
}

/* ---- what is looked at ---- */

function lines(b) {
	const lane = D.lanes[b.lane], node = D.nodes[lane.node], out = [];
	const add = (k, v) => v !== "" && out.push([k, v]);

	add("process", process(lane) + (node.name ? " on " + node.name : ""));
	add("call", (b.name || "several") + (b.dir ? ", " + DIRS[b.dir] : ""));
	add("object", objectOf(b));
	add("bytes", size(b.bytes) +
		(b.bytes >= 1024 ? " (" + commas(b.bytes) + ")" : ""));
	add("time", duration(b.at) + " since the first" +
		(b.count > 1 ? ", until " + duration(b.end)
		: b.timed ? ", took " + duration(b.end - b.begin)
		: ", when it ended: its beginning is not known"));
	add("ended", clock(b.end) + ", clock " + (b.clock ? bound(b.clock) : "exact"));
	add("tags", b.tags);
	add("depth", "" + b.depth);
	add("lacks", b.lacks);
	return out;
}
const linked = (e) => evidence(e) + (e.timed ? ", lag " + duration(e.lag) : ", lag unknown");

function element(name, words, parent) {
	const e = document.createElement(name);

	e.textContent = words;
	if (parent)
		parent.append(e);
	return e;
}
function describe() {
	const d = $("details"), b = S.focus, most = 20;

	d.replaceChildren();
	if (!b)
		return element("p", "No hop is in focus: click one, or press Tab in a picture. " +
			"\u201c?\u201d lists the keys.", d);
	element("h3", "Hop " + titled(b), d);
	const dl = element("dl", "", d);
	for (const [k, v] of lines(b)) {
		element("dt", k, dl);
		element("dd", v, dl);
	}
	for (const [word, edges, end] of [["from", b.in, "from"], ["to", b.out, "to"]])
		edges.slice(0, most).concat(edges.length > most ? [null] : []).forEach((e) => {
			element("dt", word, dl);
			const more = "and " + (edges.length - most) + " more";
			const dd = element("dd", e ? "" : more, dl);
			if (!e)
				return;
			element("button", titled(e[end]), dd)
				.addEventListener("click", () => focus(e[end]));
			element("span", " (" + linked(e) + ")" +
				(e[end].row < 0 ? ", filtered out" : ""), dd);
		});
}
function focus(b) {
	if (b && b.row < 0) { /* a hop that the filters leave out */
		resetFilters();
		arrange();
	}
	S.focus = b || null;
	if (b) {
		timeline.show(b);
		graph.show(b);
	}
	describe();
	redraw();
}
function hover(view, px, py, ev) {
	const tip = $("tip");
	let words = "";

	S.over = null;
	S.pointer = view === timeline ? py : undefined;
	if (view) {
		const v = view === graph && view.vertexAt(px, py);

		S.over = view === timeline ? view.boxAt(px, py) : null;
		if (v)
			words = vertexLines(v).map((x) => shorten(x, 300)).join("\n");
		else if (S.over)
			words = ["Hop " + hops(S.over),
				...lines(S.over).map(([k, v]) => k + ": " + shorten(v, 300)),
				...S.over.in.slice(0, 5).map((e) =>
					"from " + e.from.hop + ": " + linked(e))].join("\n");
		else
			words = overEdge(view, px, py);
	}
	tip.hidden = !words;
	tip.textContent = words;
	if (words) {
		const r = tip.getBoundingClientRect();

		tip.style.left = Math.max(4, Math.min(ev.clientX + 14, innerWidth - r.width - 6)) +
			"px";
		tip.style.top = Math.max(4, ev.clientY + 18 + r.height > innerHeight
			? ev.clientY - r.height - 12 : ev.clientY + 18) + "px";
	}
	redraw();
}
function overEdge(view, px, py) {
	let best = null, least = 5;

	if (view === timeline && (py < view.head() || px < AXIS))
		return "";
	for (const e of view === graph ? S.uses : S.edges) {
		const d = view.distance(e, px, py);

		if (d < least)
			[best, least] = [e, d];
	}
	return best && view === graph ? usedLines(best).join("\n")
		: best ? best.from.hop + " to " + best.to.hop + ": " + linked(best) +
		(best.tags ? "\ntags: " + shorten(best.tags, 300) : "") : "";
}

/* ---- search and filters ---- */

function find() {
	const want = $("search").value.trim().toLowerCase();

	for (const b of D.boxes) {
		b.found = false;
		if (!want || b.row < 0)
			continue;
		b.hay = b.hay || [b.object, D.lanes[b.lane].proc, b.tags, b.name, b.lacks]
			.join("\n").toLowerCase();
		b.found = b.hay.includes(want);
	}
	S.finds = S.shown.filter((b) => b.found);
	$("found").textContent = want ? many(S.finds.length, "find") : "";
	status();
	describe();
	redraw();
}
function nextFind(step) {
	const n = S.finds.length, at = S.focus ? S.focus.row : -1;

	if (!n)
		return;
	if (step > 0)
		focus(S.finds.find((b) => b.row > at) || S.finds[0]);
	else
		focus(S.finds.findLast((b) => b.row < at) || S.finds[n - 1]);
}
function status() {
	const n = D.boxes.length, hidden = links(D.edges) - links(S.edges);

	$("status").textContent = S.shown.length === n
		? "Shows all: " + many(n, "box", "boxes") + ", " + many(links(D.edges), "link") +
			". A box is " +
			(D.folded ? "many hops of a process." : "a hop, or several alike.")
		: "Shows " + commas(S.shown.length) + " of " +
			many(n, "box", "boxes") + "; " + many(hidden, "link") +
			" to or from what is filtered out " + (hidden === 1 ? "is" : "are") +
			" not drawn.";
}
const resetFilters = () => Object.keys(filters).forEach((k) => $(k).selectedIndex = 0);
function step(by) {
	const at = S.focus ? S.focus.row + by : by > 0 ? 0 : S.shown.length - 1;

	if (!S.shown[at])
		return false;
	focus(S.shown[at]);
	return true;
}
function follow(edges, end) {
	const e = S.focus && S.focus[edges].find((x) => x[end].row >= 0);

	if (e)
		focus(e[end]);
}

/* ---- the page ---- */

const UNKNOWN = "clock unknown, order between nodes may be wrong";
function tell() {
	const add = (words, search) => {
		const li = element("li", search ? "" : words, $("lacks"));

		if (search)
			element("button", words, li).addEventListener("click", () => {
				$("search").value = search;
				find();
				nextFind(1);
			});
	};

	if (D.folded)
		add("The flow has " + many(D.folded[0], "box", "boxes") + " and " +
			many(D.folded[1], "link") +
			": too many for a page. It is folded: a box is all that a process did " +
			"in a part of the flow.");
	const alike = new Map(); /* nodes of which the same is to be said */
	for (const n of D.nodes)
		for (const s of [n.lacks && "incomplete, " + n.lacks, n.clock < 0 && UNKNOWN])
			if (s)
				alike.set(s, [...alike.get(s) || [], n.name || "this machine"]);
	for (const [s, names] of alike) {
		const more = names.length > 9 ? " and " + (names.splice(9).length) + " more" : "";

		add(names.join(", ") + more + ": " + s);
	}
	for (const [words, n] of D.lacking)
		add(many(n, "box", "boxes") + ": " + words, words);
	for (const line of D.ledger) {
		element("li", line, $("ledger"));
		if (!D.complete || !D.boxes.length)
			add(line);
	}
	if (!D.ledger.length)
		$("covers").hidden = true;
}
function legend() {
	const draw = {
		"comes in": (c) => mark(c, {dir: 1, color: 0, row: -1}, 13, 7, 4),
		"goes out": (c) => mark(c, {dir: 2, color: 0, row: -1}, 13, 7, 4),
		"another call": (c) => mark(c, {dir: 0, color: 0, row: -1}, 13, 7, 4),
		"other side or origin not seen": (c) =>
			mark(c, {dir: 2, color: 0, row: -1, lacks: "x"}, 14, 7, 4),
		"known": (c) => line(c, 0, 26, 7, "c0", []),
		"a guess, one of several": (c) => line(c, 0, 26, 7, "c0", [5, 4]),
	};

	$("legend").replaceChildren(...Object.keys(draw).map((k) => {
		const li = document.createElement("li"), canvas = document.createElement("canvas");
		const c = canvas.getContext("2d");

		canvas.width = 52;
		canvas.height = 28;
		canvas.setAttribute("aria-hidden", "true");
		c.scale(2, 2);
		draw[k](c);
		li.append(canvas, k);
		return li;
	}));
}
function options() {
	const sets = {
		tag: D.boxes.flatMap((b) => b.tags.split(",")),
		node: D.lanes.map((l) => D.nodes[l.node].name),
		proc: D.lanes.map((l) => l.proc),
	};

	for (const k of Object.keys(sets)) {
		for (const s of [...new Set(sets[k])].filter((x) => x !== "").sort())
			element("option", shorten(s, 60), $(k)).value = s;
		$(k).parentElement.hidden = $(k).options.length < 2;
		$(k).addEventListener("change", () => {
			arrange();
			fitAll(false);
		});
	}
}
const fitAll = (whole) => [timeline, graph].forEach((v) => v.fit(whole));
const target = () => document.activeElement === graph.canvas ? graph : timeline;

const keys = {
	j: () => step(1), k: () => step(-1),
	h: () => follow("in", "from"), l: () => follow("out", "to"),
	n: () => nextFind(1), N: () => nextFind(-1),
	t: () => S.focus && setCursor(S.focus.row + 1),
	"+": () => target().zoom(1.3), "=": () => target().zoom(1.3),
	"-": () => target().zoom(1 / 1.3),
	0: () => fitAll(true),
	"/": () => $("search").select(), "?": () => $("help").showModal(),
	ArrowLeft: () => target().move(-60, 0), ArrowRight: () => target().move(60, 0),
	ArrowUp: () => target().move(0, -60), ArrowDown: () => target().move(0, 60),
	Escape: () => {
		$("search").value = "";
		S.focus = null;
		setCursor(S.shown.length);
		find();
	},
};
function pressed(ev) {
	const at = document.activeElement, typing = at && /^(INPUT|SELECT)$/.test(at.tagName);

	if ($("help").open || ev.ctrlKey || ev.altKey || ev.metaKey)
		return;
	if (typing) {
		if (ev.key === "Escape" || (ev.key === "Enter" && at === $("search"))) {
			ev.preventDefault();
			timeline.canvas.focus();
			if (ev.key === "Escape")
				keys.Escape();
			else
				nextFind(1);
		} else if (ev.key === "Enter") {
			ev.preventDefault();
		}
		return;
	}
	if (ev.key === "Tab") { /* at either end it leaves the picture, as anywhere */
		if (at && at.tagName === "CANVAS" && step(ev.shiftKey ? -1 : 1))
			ev.preventDefault();
		return;
	}
	if (Object.hasOwn(keys, ev.key)) {
		ev.preventDefault();
		keys[ev.key]();
	}
}

/* Paper shows the timeline from the row in view on, the graph as it is, and a table of hops. */
function beforePrint() {
	const most = 400, from = Math.min(timeline.rows()[0], Math.max(0, S.shown.length - 1));
	const rows = S.shown.slice(from, from + most);

	root.classList.add("printing");
	takeColors();
	S.before = [timeline.x, timeline.y, timeline.kx, timeline.ky];
	timeline.resize(1040, HEAD_TURNED + 20 * Math.max(rows.length + S.gaps.length, 4), 2);
	timeline.kx = Math.max(24, timeline.fitX());
	timeline.ky = 20;
	timeline.x = 0;
	timeline.y = (S.slotOf[from] || 0) * 20;
	drawStale();
	const t = $("printed"), head = element("tr", "", element("thead", "", t));
	for (const s of ["hop", "time", "process", "call", "object", "bytes", "tags", "from"])
		element("th", s, head);
	for (const b of rows) {
		const tr = element("tr", "", t);

		for (const s of [hops(b), duration(b.at), process(D.lanes[b.lane]), call(b),
			     b.object + (b.lacks ? " (" + b.lacks + ")" : ""), size(b.bytes),
			     b.tags,
			     b.in.slice(0, 5).map((e) => e.from.hop + " (" + linked(e) + ")")
						     .join("; ") +
					     (b.in.length > 5 ? "; \u2026" : "")])
			element("td", s, tr);
	}
	if (rows.length < S.shown.length)
		element("caption", "Boxes " + (from + 1) + " to " + (from + rows.length) + " of " +
			S.shown.length, t);
}
function afterPrint() {
	$("printed").replaceChildren();
	root.classList.remove("printing");
	timeline.resize();
	[timeline.x, timeline.y, timeline.kx, timeline.ky] = S.before;
	takeColors();
}

const timeline = new Timeline("timeline"), graph = new Graph("graph");

function start() {
	const dark = matchMedia("(prefers-color-scheme: dark)");

	$("summary").textContent = D.summary;
	tell();
	options();
	takeColors();
	legend();
	dark.addEventListener("change", () => {
		takeColors();
		legend();
	});
	[timeline, graph].forEach((v) => v.resize());
	new ResizeObserver(() => {
		const is = (v) => v.w === v.canvas.clientWidth && v.h === v.canvas.clientHeight;

		if (root.classList.contains("printing") || (is(timeline) && is(graph)))
			return;
		[timeline, graph].forEach((v) => v.resize());
		redraw();
		drawStale();
	}).observe(document.querySelector("main"));
	arrange();
	fitAll(false);
	document.addEventListener("keydown", pressed);
	$("tools").addEventListener("submit", (ev) => ev.preventDefault());
	$("search").addEventListener("input", find);
	$("cursor").addEventListener("input", () => setCursor(Number($("cursor").value)));
	$("in").addEventListener("click", () => [timeline, graph].forEach((v) => v.zoom(1.3)));
	$("out").addEventListener("click", () => [timeline, graph].forEach((v) => v.zoom(1 / 1.3)));
	$("fit").addEventListener("click", () => fitAll(true));
	$("ask").addEventListener("click", () => $("help").showModal());
	$("reset").addEventListener("click", () => {
		resetFilters();
		$("search").value = "";
		S.focus = null;
		arrange();
		fitAll(false);
	});
	addEventListener("beforeprint", beforePrint);
	addEventListener("afterprint", afterPrint);
}
addEventListener("error", (ev) => {
	root.dataset.state = "error: " + ev.message;
	element("li", "The page failed: " + ev.message, $("lacks"));
});
start();
})();
