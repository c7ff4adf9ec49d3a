import { deepEqual, equal } from 'node:assert/strict';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import { planOf, type Rig, rig } from '../../runs/rig.ts';
import { type Attack, attack, type Battery } from '../battery.ts';

/** A run whose tool comes from a server that chooses both the schema and the answer. */
const answering = (schema: JsonObject, answer: Json): Rig =>
  rig({
    tools: { look: { produces: ['done'], output_schema: schema, execute: () => answer, retries_max: 0 } },
    plans: [planOf([{ id: 'a', tool: 'look' }])],
    options: { limits: { onEscalate: 'end' } },
  });

const texts = (pattern: string): JsonObject => ({
  type: 'object',
  properties: { text: { type: 'string', pattern } },
  required: ['text'],
});

const LONG = 200_000;

/** Patterns for which a backtracking engine takes exponential or quadratic time, with the text. */
const PATTERNS: Readonly<Record<string, string>> = {
  '^(([a-z])+.)+[A-Z]([a-z])+$': `${'a'.repeat(40)}!`,
  '^(a+)+$': `${'a'.repeat(LONG)}!`,
  '^(a|a)*$': `${'a'.repeat(LONG)}!`,
  '^(a|aa)+$': `${'a'.repeat(LONG)}!`,
  '^(a*)*$': `${'a'.repeat(LONG)}!`,
  '^(.*a){20}$': 'a'.repeat(19) + 'b'.repeat(LONG),
  '(.*)*x': 'y'.repeat(LONG),
  '\\s+$': `${' '.repeat(LONG)}x`,
  'a+b': 'a'.repeat(LONG),
  '[a-z]+[a-z]+[a-z]+[0-9]': 'a'.repeat(LONG),
  '(?:a?){500}a{500}': 'a'.repeat(499),
  '^(\\w+\\s?)*$': `${'word '.repeat(40_000)}!`,
  '^(?=.*[A-Z])(a+)+$': `${'a'.repeat(LONG)}!`,
  '^(?!.*!)(a+)+$': `${'a'.repeat(LONG)}!`,
  '^([0-9]+)+[a-z]': '1'.repeat(LONG),
};

const evilPatterns: Attack = {
  name: 'a pattern and an answer of a tool server do not stop the process',
  run: async ({ attempt }) => {
    for (const [pattern, text] of Object.entries(PATTERNS)) {
      await attempt(pattern, async () => {
        const bench = answering(texts(pattern), { text });
        const { runId } = await bench.invoke();
        const observed = (await bench.events(runId)).filter(({ type }) => type === 'step_observed');
        equal(observed.length, 1);
      });
    }
  },
};

/** Patterns within the limits whose programs are large, with a text that takes all their steps. */
const LARGE_PATTERNS: Readonly<Record<string, string>> = {
  [`^${'(?:a?){1000}'.repeat(4)}$`]: `${'a'.repeat(LONG)}b`,
  [`^(?:a?){1000}$`]: `${'a'.repeat(LONG)}b`,
  [`^${'(?:a|aa){500}'.repeat(4)}$`]: `${'a'.repeat(LONG)}b`,
  [`${'(?:[a-z]?){1000}'.repeat(4)}0`]: 'a'.repeat(LONG),
};

const SECONDS_MAX = 20;

const largePatterns: Attack = {
  name: 'a large pattern of a tool server over a long answer takes seconds at most',
  run: async ({ attempt }) => {
    for (const [pattern, text] of Object.entries(LARGE_PATTERNS)) {
      await attempt(pattern, async () => {
        const before = process.cpuUsage();
        equal((await answering(texts(pattern), { text }).invoke()).status, 'failed');
        equal(process.cpuUsage(before).user < SECONDS_MAX * 1_000_000, true);
      });
    }
  },
};

/** Short patterns that are long when their repetitions are written out. */
const EXPANDING: readonly string[] = [
  `^${'(?:a?){1000}'.repeat(20)}$`,
  `^${'(?:a?){1000}'.repeat(100)}$`,
  `^(?:${'(?:a?){100}'.repeat(10)}){10}$`,
  `^(?:(?:[a-z0-9]{1,10}x?){1,10}y?){1,100}$`,
  `^(?=${'a{0,1000}'.repeat(20)}b)a+$`,
  `^${'\\u{61}{1000}'.repeat(11)}$`,
];

const expanding: Attack = {
  name: 'a short pattern with a large program is refused at registration',
  run: async ({ refuses }) => {
    for (const pattern of EXPANDING) {
      await refuses(pattern, () => answering(texts(pattern), { text: 'a' }), 'input_invalid');
    }
    const allOf = Array.from({ length: 40 }, (_, at) => ({ pattern: `^x{${at}}${'(?:a?){1000}'.repeat(4)}$` }));
    await refuses('40 large patterns in one schema', () => answering({ allOf }, 'a'), 'input_invalid');
  },
};

const refused: Attack = {
  name: 'a pattern without a linear form is refused at registration',
  run: async ({ refuses }) => {
    for (const pattern of ['(a+)\\1', '^(?<x>a+)\\k<x>$', '(?<=a+)b', 'x(?=(a+)+$)', '^(a{1000}){1000}$']) {
      await refuses(pattern, () => answering(texts(pattern), { text: 'a' }));
      await refuses(`${pattern} for arguments`, () =>
        rig({ tools: { look: { input_schema: texts(pattern), produces: ['done'] } } }),
      );
    }
  },
};

const nested = (depth: number): Json => (depth === 0 ? [] : [nested(depth - 1)]);
const twice: readonly JsonObject[] = [{ items: { $ref: '#/$defs/n' } }, { items: { $ref: '#/$defs/n' } }];

/** Other schemas that visit their value far too often. */
const SCHEMAS: Readonly<Record<string, readonly [JsonObject, Json]>> = {
  'allOf, twice per level': [{ $defs: { n: { type: 'array', allOf: twice } }, $ref: '#/$defs/n' }, nested(50)],
  'anyOf, twice per level': [{ $defs: { n: { type: 'array', anyOf: twice } }, $ref: '#/$defs/n' }, nested(50)],
  'oneOf, twice per level': [{ $defs: { n: { type: 'array', oneOf: twice } }, $ref: '#/$defs/n' }, nested(50)],
  'not, twice per level': [
    { $defs: { n: { type: 'array', allOf: twice, not: { items: { $ref: '#/$defs/n' } } } }, $ref: '#/$defs/n' },
    nested(50),
  ],
  'unique objects': [{ uniqueItems: true }, Array.from({ length: 50_000 }, (_, at) => ({ at }))],
  'names of properties': [{ patternProperties: { '^(a+)+$': { type: 'string' } } }, { [`${'a'.repeat(900)}!`]: 1 }],
  'a schema that refers to itself': [{ allOf: [{ $ref: '#' }] }, {}],
  '400 patterns over one text': [
    { allOf: Array.from({ length: 400 }, (_, at) => ({ pattern: `^x{${at}}y` })) },
    'x'.repeat(100_000),
  ],
};

const costlySchemas: Attack = {
  name: 'a schema and an answer of a tool server do not stop the process',
  run: async ({ attempt }) => {
    for (const [name, [schema, answer]] of Object.entries(SCHEMAS)) {
      await attempt(name, async () => {
        const { status } = await answering(schema, answer).invoke();
        equal(['failed', 'completed'].includes(status), true, status);
      });
    }
  },
};

export const regexes: Battery = {
  name: 'regexes',
  attacks: [
    evilPatterns,
    largePatterns,
    expanding,
    refused,
    costlySchemas,
    attack('an ordinary pattern still accepts and refuses', async () => {
      const codes = [];
      for (const text of ['ord_881', 'xyz'])
        codes.push((await answering(texts('^ord_\\d+$'), { text }).invoke()).terminalCode);
      deepEqual([codes[0], codes[1] === 'SUCCESS'], ['SUCCESS', false]);
    }),
  ],
};
