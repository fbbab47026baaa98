/* interact.js DIRECTORY CORE CHROMIUM - uses the pages of a directory as a person would, and prints
 * `ok NAME` or `not ok NAME: WHY` for each thing that must hold. CORE is the directory of
 * playwright-core. Pages come from a server of the test's own, which counts what is asked for. */
"use strict";
const fs = require("fs"), http = require("http"), path = require("path");
const [, , directory, core, executablePath] = process.argv;
const {chromium} = require(core);
const asked = [];

function same(name, got, wanted) {
	const a = JSON.stringify(got), b = JSON.stringify(wanted);

	console.log(a === b ? "ok " + name : "not ok " + name + ": got " + a + ", want " + b);
}
const holds = (name, is, why) => console.log(is ? "ok " + name : "not ok " + name + ": " + why);

/* Opens a page; complaints are what its console and its script say, and its dialogs. */
async function open(browser, page, options) {
	const context =
		await browser.newContext({viewport: {width: 1400, height: 850}, ...options});
	const tab = await context.newPage(), complaints = [];

	tab.on("console", (m) => complaints.push(m.text()));
	tab.on("pageerror", (e) => complaints.push(e.message));
	tab.on("dialog", (d) => { complaints.push("dialog " + d.message()); d.dismiss(); });
	await tab.goto(page);
	await tab.waitForSelector("html[data-state]");
	return {tab, complaints};
}
const words = (tab, id) => tab.textContent("#" + id);
/* The picture of a canvas, as text that can be compared. */
const picture = (tab, id) => tab.evaluate((x) => new Promise((done) => {
	requestAnimationFrame(() => requestAnimationFrame(() =>
		done(document.getElementById(x).toDataURL())));
}), id);
async function rests(tab, id) { /* until two pictures are alike */
	let before, now = await picture(tab, id);

	do {
		before = now;
		await tab.waitForTimeout(250);
		now = await picture(tab, id);
	} while (before !== now);
	return now;
}
async function middle(tab, id) {
	const box = await tab.locator("#" + id).boundingBox();

	return [box.x + box.width / 2, box.y + box.height / 2];
}

async function keyboard(tab) {
	await tab.focus("#timeline");
	await tab.keyboard.press("Tab");
	holds("Tab goes to the first hop", (await words(tab, "details")).startsWith("Hop 1: bash"),
		await words(tab, "details"));
	await tab.keyboard.press("j");
	await tab.keyboard.press("j");
	holds("j goes on", (await words(tab, "details")).startsWith("Hop 3: cat"),
		await words(tab, "details"));
	await tab.keyboard.press("k");
	holds("k goes back", (await words(tab, "details")).startsWith("Hop 2: cp"),
		await words(tab, "details"));
	await tab.keyboard.press("h");
	holds("h goes to where the data came from",
		(await words(tab, "details")).startsWith("Hop 1: "), await words(tab, "details"));
	await tab.keyboard.press("l");
	await tab.keyboard.press("l");
	const d = await words(tab, "details");
	for (const evidence of ["read, in", "/tmp/runnel-demo/copy.txt", "97.7 KiB", "fix283",
		     "cat 18457 on node1", "(file, lag 29.6 ms)", "(process, lag 27.8 us)",
		     "clock exact"])
		holds("a hop in focus has " + evidence, d.includes(evidence), d);
	await tab.keyboard.press("?");
	same("? opens the help", await tab.evaluate(() => document.getElementById("help").open),
		true);
	await tab.keyboard.press("Escape");
	same("Esc closes it", await tab.evaluate(() => document.getElementById("help").open),
		false);
	await tab.keyboard.press("Escape");
	holds("Esc leaves the hop", (await words(tab, "details")).startsWith("No hop"),
		await words(tab, "details"));
	await tab.focus("#timeline");
	for (let i = 0; i < 9; i++)
		await tab.keyboard.press("Tab");
	same("Tab leaves the picture behind the last hop",
		await tab.evaluate(() => document.activeElement.id), "graph");
	await tab.keyboard.press("Escape");
}
async function search(tab) {
	await tab.keyboard.press("/");
	same("/ goes to the search", await tab.evaluate(() => document.activeElement.id), "search");
	await tab.keyboard.type("PIPE:");
	same("search counts what it finds", await words(tab, "found"), "2 finds");
	await tab.keyboard.press("Enter");
	holds("Enter goes to the first find", (await words(tab, "details")).startsWith("Hop 4:"),
		"another hop");
	await tab.keyboard.press("n");
	holds("n goes to the next", (await words(tab, "details")).startsWith("Hop 5:"),
		"another hop");
	await tab.keyboard.press("Escape");
	same("Esc ends the search", await words(tab, "found"), "");
}
async function filter(tab) {
	const before = await rests(tab, "timeline");

	await tab.selectOption("#proc", "nc");
	same("a filter says what it leaves", await words(tab, "status"),
		"Shows 4 of 8 boxes; 4 links to or from what is filtered out are not drawn.");
	holds("a filter changes the picture", await rests(tab, "timeline") !== before,
		"it is the same");
	await tab.click("#reset");
	holds("Reset shows all",
		(await words(tab, "status")).startsWith("Shows all: 8 boxes, 7 links"),
		await words(tab, "status"));
	same("the picture is as before", await rests(tab, "timeline") === before, true);
	for (const [id, value] of [["tag", "fix283"], ["node", "node1"]]) {
		await tab.selectOption("#" + id, value);
		holds("filter by " + id, (await words(tab, "status")).startsWith("Shows all: 8"),
			await words(tab, "status"));
	}
	await tab.click("#reset");
}
async function move(tab) {
	for (const id of ["timeline", "graph"]) {
		const before = await rests(tab, id), [x, y] = await middle(tab, id);

		await tab.mouse.move(x, y);
		await tab.mouse.wheel(0, -300);
		const near = await rests(tab, id);
		holds("the wheel zooms the " + id, near !== before, "it is the same");
		await tab.mouse.down();
		await tab.mouse.move(x - 50, y - 40, {steps: 4});
		await tab.mouse.up();
		const moved = await rests(tab, id);
		holds("a drag moves the " + id, moved !== near, "it is the same");
		await tab.focus("#" + id);
		await tab.keyboard.press("ArrowLeft");
		const arrow = await rests(tab, id);
		holds("arrows move the " + id, arrow !== moved, "it is the same");
		await tab.keyboard.press("-");
		holds("- zooms the " + id, await rests(tab, id) !== arrow, "it is the same");
	}
	await tab.click("#reset");
	await tab.mouse.move(1, 1);
	const all = await rests(tab, "timeline");
	await tab.focus("#cursor");
	for (let i = 0; i < 5; i++)
		await tab.keyboard.press("ArrowLeft");
	holds("the time cursor says its time", /^342 ms$/.test(await words(tab, "when")),
		await words(tab, "when"));
	holds("what is later is faint", await rests(tab, "timeline") !== all, "it is the same");
	await tab.focus("#timeline");
	await tab.keyboard.press("Escape");
	same("Esc takes the cursor away", await words(tab, "when"), "all");
}
async function hover(tab) {
	const what = {
		timeline: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => "Hop " + n),
		graph: ["process bash", "process cp", "process cat", "process nc", "file /tmp",
			"pipe pipe:", "socket 127."],
	};

	for (const id of Object.keys(what)) {
		const box = await tab.locator("#" + id).boundingBox(), seen = new Set();
		const across = [box.width / 2]; /* where the graph of a chain has its links */

		for (let x = 5; x < box.width; x += 61)
			across.push(x);

		for (let y = 5; y < box.height; y += 12)
			for (const x of across) {
				await tab.mouse.move(box.x + x, box.y + y);
				if (await tab.isVisible("#tip"))
					seen.add((await words(tab, "tip"))
							 .split("\n")[0]
							 .slice(0, 40));
			}
		same("hover shows what is in the " + id, what[id].filter(
			(w) => ![...seen].some((s) => s.startsWith(w))), []);
		holds("hover shows links of the " + id, [...seen].some((s) => / to .*: /.test(s)),
			[...seen].join("; "));
	}
	await tab.mouse.move(1, 1);
}
async function names(tab) { /* that help those who do not see the picture */
	for (const id of ["timeline", "graph"]) {
		const [role, label] = await tab.$eval("#" + id,
			(e) => [e.role || e.getAttribute("role"), e.getAttribute("aria-label")]);

		same("the " + id + " has a role", role, "application");
		holds("the " + id + " has a name", label.length > 20, label);
	}
	same("each field has a label", await tab.$$eval("#tools input, #tools select",
		(all) => all.filter((e) => !e.labels.length).map((e) => e.id)), []);
	same("the hop in focus is read out", await tab.getAttribute("#details", "aria-live"),
		"polite");
}

async function demo(browser, base) {
	const {tab, complaints} = await open(browser, base + "demo.html", {colorScheme: "light"});

	same("the summary is there", await words(tab, "summary"),
		"8 hops of 5 processes on 1 node, 343 ms");
	same("nothing lacks", await words(tab, "lacks"), "");
	for (const part of [names, keyboard, search, filter, move, hover])
		await part(tab);
	const light = await rests(tab, "timeline");
	await tab.emulateMedia({colorScheme: "dark"});
	holds("dark is drawn otherwise", await rests(tab, "timeline") !== light, "it is the same");
	const back = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
	same("the page is dark", back, "rgb(20, 23, 27)");
	await tab.emulateMedia({colorScheme: "light"});
	const pdf = await tab.pdf({preferCSSPageSize: true});
	holds("it prints", pdf.length > 20000, pdf.length + " bytes");
	same("after that it is as before", await rests(tab, "timeline") === light, true);
	same("no complaint", complaints, []);
	const policy = await tab.evaluate(async (from) => {
		const refused = [];

		document.addEventListener(
			"securitypolicyviolation", (e) => refused.push(e.effectiveDirective));
		new Image().src = from + "image.png";
		await fetch(from + "data.json").catch(() => 0);
		const script = document.createElement("script");
		try {
			script.text = "document.title = 'broken'";
			document.body.append(script);
		} catch (e) {
			refused.push(e.name);
		}
		try {
			document.body.innerHTML = "<b>broken</b>";
		} catch (e) {
			refused.push(e.name);
		}
		await new Promise((done) => setTimeout(done, 100));
		return [
			document.title,
			["img-src", "connect-src", "TypeError"].filter((x) => !refused.includes(x))
		];
	}, base);
	same("the policy refuses images, requests, scripts and markup", policy, ["A flow", []]);
	await tab.context().close();
}
async function hostile(browser, base) {
	const {tab, complaints} = await open(browser, base + "hostile.html");

	same("hostile names leave the title", await tab.title(), "A flow");
	same("they make no element",
		await tab.$$eval("img, script:not([type])", (all) => all.length), 1);
	await tab.focus("#timeline");
	for (let i = 0; i < 30; i++)
		await tab.keyboard.press("j");
	const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
	same("they do not make the page wider", wide <= 0, true);
	await tab.fill("#search", "</script>");
	holds("they can be searched for", /^[0-9]+ finds$/.test(await words(tab, "found")),
		await words(tab, "found"));
	await tab.selectOption("#proc", "__proto__");
	holds("they can be chosen", (await words(tab, "status")).startsWith("Shows "),
		await words(tab, "status"));
	const box = await tab.locator("#timeline").boundingBox();
	for (let y = 100; y < box.height; y += 20)
		await tab.mouse.move(box.x + 300, box.y + y);
	same("hostile names bring no complaint", complaints, []);
	await tab.context().close();
}
async function lacking(browser, base) {
	const {tab, complaints} = await open(browser, base + "lacking.html"),
		    d = await words(tab, "lacks");

	for (const what of ["node4: incomplete, the connection was reset",
		     "node3: clock unknown, order between nodes may be wrong",
		     "boxes: other side not seen", "boxes: other side not looked at", "ledger: "])
		holds("it says: " + what, d.includes(what), d);
	await tab.click("#lacks button");
	holds("a click finds them", /finds$/.test(await words(tab, "found")),
		await words(tab, "found"));
	same("no complaint of what lacks", complaints, []);
	await tab.context().close();
}
async function story(browser, base) {
	const {tab, complaints} = await open(browser, base + "story.html"),
		    d = await words(tab, "lacks");

	holds("the head counts links", (await words(tab, "summary")).includes("3 of 10 links"),
		await words(tab, "summary"));
	holds("the foot counts them alike", (await words(tab, "status")).includes("10 links"),
		await words(tab, "status"));
	holds("nodes are named together", d.includes("web1, db1: clock unknown"), d);
	await tab.selectOption("#node", "db2");
	same("a node without a hop can be chosen", await words(tab, "status"),
		"Shows 0 of 8 boxes; 10 links to or from what is filtered out are not drawn.");
	const bad = await tab.evaluate(() => { /* is its column coloured? */
		const e = document.getElementById("timeline"), k = e.width / e.clientWidth;
		const [r, g] = e.getContext("2d").getImageData(e.width * 0.2, 60 * k, 1, 1).data;

		return r > g;
	});
	same("it has a column", bad, true);
	same("no complaint of the story", complaints, []);
	await tab.context().close();
}
async function empty(browser, base) {
	const {tab, complaints} = await open(browser, base + "empty.html");

	same("no hop", await words(tab, "summary"), "no hop was seen");
	const d = await words(tab, "lacks");
	holds("and what the ledger says", /ledger: .*did not answer/.test(d), d);
	for (const key of ["Tab", "j", "0", "t", "h"])
		await tab.keyboard.press(key);
	same("no complaint of no hop", complaints, []);
	await tab.context().close();
}
async function folded(browser, base) {
	const {tab, complaints} = await open(browser, base + "folded.html"),
		    d = await words(tab, "lacks");

	holds("it says that it is folded",
		d.includes("The flow has 60,000 boxes and 62,366 links: too many"), d);
	await tab.selectOption("#tag", "invoice4");
	holds("folded boxes have their tags",
		/^Shows (all: )?[0-9,]+ /.test(await words(tab, "status")),
		await words(tab, "status"));
	same("no complaint of what is folded", complaints, []);
	await tab.context().close();
}

(async () => {
	const server = http.createServer((request, response) => {
		asked.push(request.url);
		fs.readFile(path.join(directory, path.basename(request.url)), (error, text) => {
			response.writeHead(error ? 404 : 200, {"content-type": "text/html"});
			response.end(text);
		});
	});

	await new Promise((done) => server.listen(0, "127.0.0.1", done));
	const base = "http://127.0.0.1:" + server.address().port + "/";
	const browser =
		await chromium.launch({executablePath,
			args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]});
	for (const part of [demo, hostile, lacking, story, empty, folded])
		await part(browser, base);
	await browser.close();
	server.close();
	same("each page was asked for, and nothing else", asked,
		["/demo.html", "/hostile.html", "/lacking.html", "/story.html", "/empty.html",
			"/folded.html"]);
	console.log("ok the end");
})().catch((e) => {
	console.log("not ok " + e.message.split("\n")[0]);
	process.exit(1);
});
