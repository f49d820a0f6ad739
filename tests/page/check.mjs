// Pages in a browser: check.mjs PROGRAM DIRECTORY [NAME...]
//
// DIRECTORY has node_modules; pages and screenshots go there. Each page in light and dark, narrow, without scripts, printed, by
// keyboard: nothing on the console, no request, no fault that axe-core finds, nothing wider than the screen.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const [program, directory, ...only] = process.argv.slice(2);
const require = createRequire(path.resolve(directory, 'x.js'));
const { chromium } = require('playwright-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf-8');
const tree = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const work = path.join(directory, 'work');
const faults = [];

function fault(name, text) {
	faults.push(`${name}: ${text}`);
	console.log(`FAULT ${name}: ${text}`);
}

function run(...command) {
	return execFileSync(command[0], command.slice(1), { maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] });
}

// Exit codes of check tell of findings, of report that files are broken.
function write(name, ...args) {
	const page = path.join(work, `${name}.html`);
	const out = spawnSync(program, args, { maxBuffer: 1 << 28, cwd: work });

	if (![0, 1, 2, 3].includes(out.status) || out.stdout.length < 1000)
		fault(name, `no page: exit ${out.status}: ${out.stderr}`);
	fs.writeFileSync(page, out.stdout);
	run('python3', path.join(tree, 'tests/page/sound.py'), page);
	return page;
}

function described(name) {
	run('python3', path.join(tree, 'fixtures/generate.py'), path.join(tree, `fixtures/hosts/${name}.json`), path.join(work, name));
	return name;
}

function captured(name) {
	const host = path.join(work, name);

	fs.mkdirSync(host);
	run('tar', 'xzf', path.join(tree, `fixtures/captures/${name}.tar.gz`), '-C', host);
	return name;
}

function fleet(hosts, broken) {
	const dir = path.join(work, `fleet-${hosts}`);

	run('python3', path.join(tree, 'tests/page/fleet.py'), program, dir, `${hosts}`, `${broken}`);
	return fs.readdirSync(dir).sort().map((f) => path.join(path.basename(dir), f));
}

function loads() {
	run('python3', path.join(tree, 'tests/page/results.py'), work);
	return ['before.json', 'after.json', 'trial.json'];
}

const pages = {
	host: () => write('host', 'check', '--format', 'html', '--profile', 'gateway', '--capture', captured('vm-server-6.1')),
	bad: () => write('bad', 'check', '--format', 'html', '--capture', described('report-two-cards-cpu0')),
	far: () => write('far', 'report', described('sub-numa-clusters'), described('isolated-hit'), described('report-rss-16-of-63')),
	hostile: () => write('hostile', 'check', '--format', 'html', '--capture', described('hostile-names')),
	load: () => write('load', 'report', ...loads()),
	broken: () => write('broken', 'report', ...fleet(8, 4)),
	200: () => write('200', 'report', ...fleet(200, 1)),
	1000: () => write('1000', 'report', ...fleet(1000, 0)),
};

// A page where everything that it says or asks for is written down.
async function open(browser, name, file, options, expected = 1) {
	const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
	const page = await context.newPage();
	let requests = 0;

	page.on('console', (m) => fault(name, `console: ${m.text()}`));
	page.on('pageerror', (e) => fault(name, `error: ${e.message}`));
	page.on('request', (r) => {
		if (!r.url().startsWith('data:') && ++requests > expected)
			fault(name, `asks for ${r.url()}`);
	});
	await page.goto(`file://${file}`);
	return page;
}

async function accessible(browser, name, file, scheme) {
	const page = await open(browser, name, file, { colorScheme: scheme, bypassCSP: true });

	// What is closed is hidden, and what is hidden is not looked at.
	await page.evaluate(() => document.querySelectorAll('details').forEach((d, i) => { d.open = i < 40; }));
	await page.addScriptTag({ content: axe });
	const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
	for (const v of found.violations)
		fault(`${name} ${scheme}`, `${v.id}: ${v.help}: ${v.nodes.length} times, first ${v.nodes[0].html.slice(0, 200)} ` +
			`${v.nodes[0].failureSummary}`);
	await page.context().close();
}

async function looks(browser, name, file, scheme) {
	const page = await open(browser, `${name} ${scheme}`, file, { colorScheme: scheme });
	const height = await page.evaluate(() => document.documentElement.scrollHeight);
	const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);

	if ((scheme === 'dark') !== ground.match(/\d+/g).slice(0, 3).every((c) => c < 100))
		fault(`${name} ${scheme}`, `its ground is ${ground}`);
	await page.screenshot({ path: path.join(directory, `${name}-${scheme}.png`), clip: { x: 0, y: 0, width: 1280, height: Math.min(height, 4000) },
		fullPage: true });
	await page.context().close();
}

// What sticks out of the screen and stands in nothing that scrolls by itself.
function widest() {
	const edge = document.documentElement.clientWidth + 0.5;
	const out = [...document.querySelectorAll('body *')].filter((e) => !e.closest('.wide, pre') && e.getBoundingClientRect().right > edge);

	return out.slice(-3).map((e) => e.outerHTML.slice(0, 200)).join(' ');
}

// For docs/page.md: `make page-shots`.
const shots = { bad: 780, 200: 900, load: 620 };

async function shot(browser, name, file) {
	if (!shots[name])
		return;
	const page = await open(browser, `${name} for the docs`, file, { viewport: { width: 960, height: shots[name] } });

	await page.screenshot({ path: path.join(directory, `docs-${name}.png`) });
	await page.context().close();
}

async function narrow(browser, name, file) {
	const page = await open(browser, `${name} narrow`, file, { viewport: { width: 400, height: 800 } });
	const over = await page.evaluate(() => {
		document.querySelectorAll('details').forEach((d, i) => { d.open = i < 40; });
		return document.documentElement.scrollWidth - document.documentElement.clientWidth;
	});

	if (over > 0)
		fault(`${name} narrow`, `${over} pixels wider than the screen: ${await page.evaluate(widest)}`);
	await page.screenshot({ path: path.join(directory, `${name}-narrow.png`) });
	await page.context().close();
}

async function without_scripts(browser, name, file) {
	const page = await open(browser, `${name} without scripts`, file, { javaScriptEnabled: false });

	if (await page.locator('button').count())
		fault(name, 'has buttons that do nothing without scripts');
	if ((await page.locator('main').innerText()).length < 200)
		fault(name, 'says little without scripts');
	await page.context().close();
}

async function printed(browser, name, file) {
	const page = await open(browser, `${name} printed`, file, { colorScheme: 'dark' });

	await page.emulateMedia({ media: 'print' });
	const bad = await page.evaluate(() => {
		const closed = [...document.querySelectorAll('details:not([open]):not(.quiet) > :not(summary)')].slice(0, 20);
		const hidden = closed.filter((e) => !e.getClientRects().length || !e.checkVisibility({ contentVisibilityAuto: true })).length;
		const rgb = getComputedStyle(document.body).backgroundColor;

		return { closed: closed.length, hidden, rgb, buttons: [...document.querySelectorAll('button')].filter((b) => b.offsetParent).length };
	});
	if (!bad.closed || bad.hidden || bad.buttons || bad.rgb !== 'rgb(255, 255, 255)')
		fault(`${name} printed`, JSON.stringify(bad));
	if (name === 'bad')
		await page.pdf({ path: path.join(directory, `${name}.pdf`), format: 'A4', printBackground: false });
	await page.context().close();
}

async function by_keyboard(browser, name, file) {
	const page = await open(browser, `${name} by keyboard`, file, {});
	const focused = () => page.evaluate(() => {
		const e = document.activeElement, s = getComputedStyle(e);

		return { text: e.textContent.slice(0, 60), tag: e.tagName, line: s.outlineStyle !== 'none' || e.className === 'skip' };
	});

	await page.keyboard.press('Tab');
	if ((await focused()).text !== 'To the content')
		fault(name, `the first that gets the focus is ${JSON.stringify(await focused())}`);
	for (let i = 0; i < 25; i++) {
		await page.keyboard.press('Tab');
		const at = await focused();
		if (at.tag !== 'BODY' && !at.line)
			fault(name, `no outline on ${JSON.stringify(at)}`);
	}
	const button = page.locator('button').first();
	if (await button.count()) {
		const beside = await button.evaluate((b) => b.parentElement.querySelector('code').textContent);
		await button.focus();
		await page.keyboard.press('Enter');
		await page.waitForTimeout(200);
		if (await button.textContent() !== 'Copied')
			fault(name, 'Copy does not copy');
		const copied = await page.evaluate(() => navigator.clipboard ? navigator.clipboard.readText() : null).catch(() => null);
		if (copied !== null && copied !== beside)
			fault(name, `copied ${copied}`);
	} else if (await page.locator('.type').count()) {
		fault(name, 'commands without a button');
	}
	await page.context().close();
}

// A link into something that is closed opens it.
async function links(browser, name, file) {
	const page = await open(browser, `${name} links`, file, {}, 2);
	const link = page.locator('.matrix tbody th a').first();

	if (await link.count()) {
		await link.click();
		const target = await link.getAttribute('href');
		await page.waitForTimeout(200);
		if (!await page.evaluate((id) => document.getElementById(id).open, target.slice(1)))
			fault(name, `${target} stays closed`);
	}
	await page.context().close();
}

async function quick(browser, name, file) {
	const bytes = fs.statSync(file).size;
	let best = Infinity;

	for (let i = 0; i < 3; i++) {
		const page = await open(browser, name, file, {});
		best = Math.min(best, await page.evaluate(() => performance.timing.loadEventEnd - performance.timing.navigationStart));
		await page.context().close();
	}
	console.log(`${name}: ${bytes} bytes, open in ${best} ms`);
	if (bytes >= 5e6 || best >= 2000)
		fault(name, `${bytes} bytes, open in ${best} ms`);
}

async function main() {
	fs.rmSync(work, { recursive: true, force: true });
	fs.mkdirSync(work, { recursive: true });
	const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
		args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });

	for (const name of only.length ? only : Object.keys(pages)) {
		const began = Date.now(), file = pages[name]();

		if (name === '1000') {
			await quick(browser, name, file);
		} else {
			// What `broken` has of everything, 200 hosts have in numbers: there axe-core would take minutes.
			const many = name === '200';

			for (const scheme of ['light', 'dark']) {
				await looks(browser, name, file, scheme);
				if (!many)
					await accessible(browser, name, file, scheme);
			}
			for (const look of many ? [shot, narrow, without_scripts, links] : [shot, narrow, without_scripts, printed, by_keyboard, links])
				await look(browser, name, file);
		}
		console.log(`${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
	}
	await browser.close();
	console.log(faults.length ? `check-page: ${faults.length} faults` : 'check-page: ok');
	process.exit(faults.length ? 1 : 0);
}

await main();
