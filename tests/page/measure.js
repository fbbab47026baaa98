/* measure.js PAGE CORE CHROMIUM - prints how long the page takes to its first picture, and the
 * median and the greatest of 60 steps of zoom and of 60 of moving, each from the event to the frame
 * behind it, in ms. CORE is the directory of playwright-core. */
"use strict";
const [, , page, core, executablePath] = process.argv;
const {chromium} = require(core);

async function steps(tab, event) {
	return tab.evaluate(async (how) => {
		const canvas = document.getElementById("timeline"),
		      r = canvas.getBoundingClientRect();
		const frame = () => new Promise((done) => requestAnimationFrame(() => {
			const channel = new MessageChannel(); /* behind the drawing of this frame */

			channel.port1.onmessage = done;
			channel.port2.postMessage(0);
		}));
		const took = [];

		for (let i = 0; i < 60; i++) {
			await frame();
			const begin = performance.now();
			if (how === "zoom")
				canvas.dispatchEvent(new WheelEvent("wheel", {
					deltaY: i < 30 ? -60 : 60,
					clientX: r.left + r.width / 2,
					clientY: r.top + r.height / 2,
					cancelable: true
				}));
			else
				document.dispatchEvent(new KeyboardEvent(
					"keydown", {key: i % 2 ? "ArrowDown" : "ArrowRight"}));
			await frame();
			took.push(performance.now() - begin);
		}
		took.sort((a, b) => a - b);
		return [took[30], took[59]];
	}, event);
}
(async () => {
	const browser =
		await chromium.launch({executablePath,
			args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]});
	const tab = await browser.newPage({viewport: {width: 1400, height: 850}});
	const ms = (x) => x.toFixed(1);

	await tab.goto("file://" + page);
	await tab.waitForSelector("html[data-state=ready]");
	console.log(await tab.textContent("#status"));
	const first = await tab.evaluate(() => performance.getEntriesByName("drawn")[0].startTime);
	console.log("first picture " + ms(first) + " ms");
	for (const how of ["zoom", "move"]) {
		await tab.keyboard.press("0");
		const near = await steps(tab, how);
		console.log(how + " from the whole picture: median " + ms(near[0]) + " ms, most " +
			ms(near[1]) + " ms");
	}
	await browser.close();
})();
