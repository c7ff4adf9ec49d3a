/**
 * Executes the blocks of one page in the current folder, as a reader would with `node`. It fails if a block, or a
 * function of a block, was not executed.
 */
import { execFile } from 'node:child_process';
import { Session } from 'node:inspector/promises';
import { pathToFileURL } from 'node:url';
import type { CommandOutput, Exports, Page, PageFixture, PageOrder } from './page.ts';

const { fixture, files, data } = JSON.parse(process.argv[2] ?? '') as PageOrder;
process.argv.splice(2);

const executed = new Set<string>();
const read = new Set<object>();

const page: Page = {
  folder: process.cwd(),
  load: async (place) => (await import(pathToFileURL(take(place)).href)) as Exports,
  run: (place, [program = 'node', ...args]) =>
    new Promise<CommandOutput>((resolve) => {
      const child = execFile(program, [...args, take(place)], (_, stdout, stderr) =>
        resolve({ stdout, stderr, exit: child.exitCode }),
      );
    }),
  read: (language, place) => {
    const found = data.filter((fence) => fence.language === language)[place - 1];
    if (found === undefined) throw new Error(`the page has no ${language} block ${place}`);
    read.add(found);
    return found.text;
  },
};

function take(place: number): string {
  const file = files[place - 1];
  if (file === undefined) throw new Error(`the page has no program ${place}`);
  executed.add(file);
  return file;
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

if (fixture === null) for (const place of files.keys()) await page.load(place + 1);
else await ((await import(pathToFileURL(fixture).href)) as { readonly run: PageFixture }).run(page);

const { result } = await session.post('Profiler.takePreciseCoverage');
session.disconnect();

const loaded = new Map(result.map(({ url, functions }) => [url, functions]));
const unused = files.flatMap((file, at) => {
  const block = `program ${at + 1}`;
  if (!executed.has(file)) return [`${block} was not executed`];
  return (loaded.get(pathToFileURL(file).href) ?? [])
    .filter(({ ranges }) => ranges[0]?.count === 0)
    .map(({ functionName }) => `${block}: the function ${functionName || '() => …'} was not executed`);
});
const unread = data
  .filter((fence) => !read.has(fence))
  .map(({ language, text }) => `unread ${language} block: ${text}`);
for (const line of [...unused, ...unread]) console.error(line);
