/* shoot.js PAGE CORE CHROMIUM DIRECTORY - writes what a browser shows of a page, a hop in focus, as
 * page-light.png and page-dark.png. CORE is the directory of playwright-core. */
"use strict";
const [, , page, core, executablePath, directory] = process.argv;
const {chromium} = require(core);

(async () => {
	const browser =
		await chromium.launch({executablePath,
			args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]});

	for (const colorScheme of ["light", "dark"]) {
		const context = await browser.newContext(
			{viewport: {width: 1040, height: 600}, colorScheme});
		const tab = await context.newPage();

		await tab.goto("file://" + page);
		await tab.waitForSelector("html[data-state=ready]");
		await tab.focus("#timeline");
		for (let i = 0; i < 4; i++)
			await tab.keyboard.press("j");
		await tab.mouse.move(1, 1);
		await tab.evaluate(() => new Promise((done) =>
			requestAnimationFrame(() => requestAnimationFrame(done))));
		await tab.screenshot({path: directory + "/page-" + colorScheme + ".png"});
		await context.close();
	}
	await browser.close();
})();
