import { equal } from 'node:assert/strict';
import { gunzipSync, gzipSync } from 'node:zlib';
import { planOf, type Rig, rig } from '../../runs/rig.ts';
import { type Attack, attack, type Battery } from '../battery.ts';
import { type Changes, forgeBundle } from '../forge-bundle.ts';

const TOOLS = { look: { produces: ['done'] } };

const fresh = (): Rig => rig({ tools: TOOLS });

/** The text of an exported run whose tool answered `{"marker":"HERE"}`. */
async function exported(): Promise<string> {
  const bench = rig({
    tools: { look: { ...TOOLS.look, execute: () => ({ marker: 'HERE' }) } },
    plans: [planOf([{ id: 'a', tool: 'look' }])],
  });
  const { runId } = await bench.invoke();
  return gunzipSync(await bench.runtime.records.export(runId)).toString();
}

const importText = (text: string): Promise<unknown> => fresh().runtime.records.import(gzipSync(text));

const nested = (open: string, close: string, depth: number): string => `${open.repeat(depth)}0${close.repeat(depth)}`;

/** Replaces a text in the events of every frame. */
const inEvents = (before: string, after: string): Changes => ({
  events: (events) => events.replaceAll(before, () => after),
});

/** Values that are valid JSON and cost far more than their bytes. */
const COSTLY: Readonly<Record<string, Changes>> = {
  'an answer of 70,000 lists in each other': inEvents('{"marker":"HERE"}', nested('[', ']', 70_000)),
  'an answer of 10,000 objects in each other': inEvents('{"marker":"HERE"}', nested('{"a":', '}', 10_000)),
  'an answer of five million empty lists': inEvents('{"marker":"HERE"}', `[${'[],'.repeat(5_000_000)}0]`),
  'an answer of nine million numbers': inEvents('{"marker":"HERE"}', `[${'0,'.repeat(9_000_000)}0]`),
  'an answer of three million keys': inEvents(
    '{"marker":"HERE"}',
    `{${Array.from({ length: 3_000_000 }, (_, at) => `"k${at}":0`).join(',')}}`,
  ),
  'an answer of one text of 70 million characters': inEvents('HERE', 'x'.repeat(70_000_000)),
  'an answer of one text of twelve million escapes': inEvents('HERE', '\\u0001'.repeat(12_000_000)),
  'a proposal of 70,000 lists in each other': inEvents('"proposal":{', `"proposal":{"x":${nested('[', ']', 70_000)},`),
  'arguments of 70,000 lists in each other': inEvents('"args":{', `"args":{"x":${nested('[', ']', 70_000)}`),
  'a field of 70,000 lists in each other': inEvents('"outcome":"ok"', `"outcome":${nested('[', ']', 70_000)}`),
  'a header of 70,000 lists in each other': {
    header: (header) => ({ ...header, keys: JSON.parse(nested('[', ']', 2_000)) }),
  },
  'a header of 200,000 numbers for a graph': {
    header: (header) => ({
      ...header,
      pins: { ...(header['pins'] as object), graph: { nodes: Array.from({ length: 200_000 }, (_, at) => at) } },
    }),
  },
  'a header with a billion frames': { header: (header) => ({ ...header, frames: 1_000_000_000 }) },
  'a header with a billion blobs': { header: (header) => ({ ...header, blobs: 1_000_000_000 }) },
  'a header with a billion lanes': { header: (header) => ({ ...header, version: 2, lanes: 1_000_000_000 }) },
  'a header with a billion frames less': { header: (header) => ({ ...header, frames: -1 }) },
  'a lane of 70,000 lists in each other': { lines: (lines) => [...lines, `{"lane":${nested('[', ']', 70_000)}}`] },
  'a row of lists': { lines: (lines) => [...lines, `{"frame":[${'[],'.repeat(6_000_000)}0]}`] },
  'a blob of JSON in each other': {
    lines: (lines) => [...lines, JSON.stringify({ blob: { address: 'x', text: nested('[', ']', 70_000) } })],
  },
  'a string that does not end': { lines: (lines) => [...lines, `{"frame":"${'x'.repeat(1_000_000)}`] },
  'an empty row': { lines: (lines) => [...lines, ''] },
  'a row of closing brackets': { lines: (lines) => [...lines, ']'.repeat(1_000_000)] },
};

const costly: Attack = {
  name: 'a bundle of some kilobytes that unpacks to a costly value is refused',
  run: async ({ refuses }) => {
    const text = await exported();
    for (const [name, changes] of Object.entries(COSTLY)) {
      const code = name.endsWith('for a graph') ? 'graph_invalid' : 'bundle_invalid';
      await refuses(name, () => importText(forgeBundle(text, changes)), code);
    }
  },
};

/** Bytes that are no bundle. */
const JUNK: Readonly<Record<string, () => Uint8Array>> = {
  'a bundle of 146 KB that unpacks to 146 million lines': () => gzipSync('\n'.repeat(146_000_000), { level: 9 }),
  'zeros that unpack to more than the limit': () => gzipSync(Buffer.alloc(300_000_000), { level: 9 }),
  'spaces that unpack to one long line': () => gzipSync(Buffer.alloc(100_000_000, ' '), { level: 9 }),
  'an archive in an archive': () => gzipSync(gzipSync('x')),
  'no bytes': () => new Uint8Array(),
  'bytes that are not UTF-8': () => gzipSync(Buffer.from([0xff, 0xfe, 0x0a])),
  'an empty archive': () => gzipSync(''),
  'one line break': () => gzipSync('\n'),
};

const junk: Attack = {
  name: 'a bundle of 146 KB does not end the process',
  run: async ({ refuses }) => {
    for (const [name, bytes] of Object.entries(JUNK)) {
      await refuses(name, () => fresh().runtime.records.import(bytes()), 'bundle_invalid');
    }
    const packed = gzipSync(await exported());
    await refuses('an archive that is cut off', () => fresh().runtime.records.import(packed.subarray(0, -20)));
    await refuses('an archive with a changed byte', () => {
      packed[packed.length >> 1] = (packed[packed.length >> 1] ?? 0) ^ 1;
      return fresh().runtime.records.import(packed);
    });
  },
};

export const bundles: Battery = {
  name: 'bundles',
  attacks: [
    costly,
    junk,
    attack('an unchanged bundle is imported after all of these', async () => {
      const bench = fresh();
      const text = forgeBundle(await exported(), {});
      equal((await bench.runtime.records.import(gzipSync(text))).runId, 'run_1');
    }),
  ],
};
