/**
 * Proves the checker: each wall is broken on purpose in a small house and must be seen, and each is
 * left whole next to it, so that the checker is not merely refusing everything.
 */
import { describe, expect, test } from 'vitest';
import { checkHouse } from '../../scripts/house/check.ts';
import { WALLS, type Wall } from '../../scripts/house/violation.ts';

type Files = Readonly<Record<string, string>>;
const PACKAGES = ['zod', 'ajv', '@scope/kept'];

function walls(files: Files): readonly string[] {
  const found = checkHouse({ files: new Map(Object.entries(files)), packages: PACKAGES });
  return found.map(({ wall, path, line }) => `${wall} ${path}:${line}`);
}

const noun = 'export const a = 1;\n';
const manyLines = (count: number): string => noun.repeat(count);
const filler = (count: number, lines: number): Files =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`src/model/n${at}.ts`, manyLines(lines)]));

interface Case {
  readonly wall: Wall;
  readonly title: string;
  readonly broken: Files;
  readonly at: readonly string[];
  readonly whole: Files;
}

const CASES: readonly Case[] = [
  {
    wall: 'room',
    title: 'the kernel imports roles, even a type',
    broken: { 'src/kernel/step.ts': "import type { A } from '../roles/a.ts';\nexport type B = A;\n" },
    at: ['src/kernel/step.ts:1'],
    whole: { 'src/kernel/step.ts': "import type { A } from '../model/a.ts';\nexport type B = A;\n" },
  },
  {
    wall: 'room',
    title: 'an inline type import is an import',
    broken: { 'src/kernel/step.ts': "export type B =\n  import('../roles/a.ts').A;\n" },
    at: ['src/kernel/step.ts:2'],
    whole: { 'src/kernel/step.ts': "export type B = import('../model/a.ts').A;\n" },
  },
  {
    wall: 'room',
    title: 'a re-export and a dynamic import are imports',
    broken: {
      'src/gateway/a.ts': "export { a } from '../gates/a.ts';\nawait import('../roles/a.ts');\n",
    },
    at: ['src/gateway/a.ts:1', 'src/gateway/a.ts:2'],
    whole: { 'src/gateway/a.ts': "export { a } from '../ports/a.ts';\n" },
  },
  {
    wall: 'room',
    title: 'session opens the acting rooms only through its Effects table',
    broken: { 'src/session/loop.ts': "import { a } from '../gateway/a.ts';\nexport { a };\n" },
    at: ['src/session/loop.ts:1'],
    whole: { 'src/session/effects.ts': "import { a } from '../gateway/a.ts';\nexport { a };\n" },
  },
  {
    wall: 'room',
    title: 'replay opens neither gateway nor roles',
    broken: { 'src/replay/a.ts': "import '../gateway/a.ts';\nimport '../roles/a.ts';\n" },
    at: ['src/replay/a.ts:1', 'src/replay/a.ts:2'],
    whole: { 'src/replay/a.ts': "import '../kernel/a.ts';\nimport '../critic/a.ts';\n" },
  },
  {
    wall: 'room',
    title: 'the command line sees published doors only',
    broken: { 'src/cli/run.ts': "import { a } from '../session/a.ts';\nexport { a };\n" },
    at: ['src/cli/run.ts:1'],
    whole: { 'src/cli/run.ts': "import { a } from '../index.ts';\nexport { a };\n" },
  },
  {
    wall: 'adapter-named',
    title: 'only the composition root names an adapter',
    broken: {
      'src/session/loop.ts': "import '../adapters/sqlite/index.ts';\n",
      'src/index.ts': "export { a } from './adapters/sqlite/index.ts';\n",
      'src/testing/a.ts': "import '../adapters/sqlite/index.ts';\n",
    },
    at: ['src/session/loop.ts:1', 'src/index.ts:1', 'src/testing/a.ts:1'],
    whole: {
      'src/compose.ts': "import './adapters/sqlite/index.ts';\n",
      'src/index.ts': "export { a } from './compose.ts';\n",
      'src/testing/a.ts': "import '../adapters/memory/index.ts';\n",
    },
  },
  {
    wall: 'adapter-sibling',
    title: 'adapters do not see each other',
    broken: { 'src/adapters/sqlite/a.ts': "import '../memory/a.ts';\n" },
    at: ['src/adapters/sqlite/a.ts:1'],
    whole: { 'src/adapters/sqlite/a.ts': "import './b.ts';\nimport '../../ports/a.ts';\n" },
  },
  {
    wall: 'no-such-room',
    title: 'a new folder is a decision in the floor plan',
    broken: { 'src/utils/a.ts': noun, 'src/helper.ts': noun, 'src/adapters/a.ts': noun },
    at: ['src/utils/a.ts:1', 'src/helper.ts:1', 'src/adapters/a.ts:1'],
    whole: { 'src/model/a.ts': noun, 'src/adapters/memory/a.ts': noun },
  },
  {
    wall: 'leaves-house',
    title: 'what ships imports nothing that does not ship',
    broken: {
      'src/model/a.ts': "import './b.test.ts';\nimport '../../test/x.ts';\n",
      'src/index.ts': "import '../scripts/x.ts';\n",
      'src/compose.ts': "import '../test/x.ts';\n",
    },
    at: ['src/model/a.ts:1', 'src/model/a.ts:2', 'src/index.ts:1', 'src/compose.ts:1'],
    whole: { 'src/model/a.test.ts': "import '../../test/x.ts';\n" },
  },
  {
    wall: 'outside',
    title: 'the kernel uses nothing from outside, the model only zod',
    broken: {
      'src/kernel/a.ts': "import 'node:fs';\nimport type { z } from 'zod';\nexport type A = z;\n",
      'src/model/a.ts': "import 'ajv/dist/2020.js';\n",
      'src/critic/a.ts': "import '@scope/kept/deep';\n",
    },
    at: ['src/kernel/a.ts:1', 'src/kernel/a.ts:2', 'src/model/a.ts:1', 'src/critic/a.ts:1'],
    whole: { 'src/model/a.ts': "import 'zod';\n", 'src/gateway/a.ts': "import 'node:crypto';\n" },
  },
  {
    wall: 'undeclared',
    title: 'a package that users do not get is not imported',
    broken: { 'src/server/a.ts': "import 'vitest';\nimport '@scope/other';\n" },
    at: ['src/server/a.ts:1', 'src/server/a.ts:2'],
    whole: { 'src/server/a.ts': "import '@scope/kept/deep';\n", 'src/a/a.test.ts': "import 'vitest';\n" },
  },
  {
    wall: 'computed-import',
    title: 'an import that only runs can tell is refused',
    broken: { 'src/gateway/a.ts': 'export const a = (name: string) => import(name);\n' },
    at: ['src/gateway/a.ts:1'],
    whole: {
      'src/gateway/a.ts': "export const a = () => import('./b.ts');\n",
      'src/cli/config/load-config.ts': 'export const a = (name: string) => import(name);\n',
    },
  },
  {
    wall: 'impure',
    title: 'no clock in a pure room',
    broken: {
      'src/kernel/a.ts':
        'export const a = Date.now();\nexport const b = new Date();\nconst D = Date;\nexport const c = globalThis.Date;\n',
    },
    at: ['src/kernel/a.ts:1', 'src/kernel/a.ts:2', 'src/kernel/a.ts:3', 'src/kernel/a.ts:4'],
    whole: {
      'src/kernel/a.ts': 'export type A = Date;\nexport const o = { Date: 1 };\nexport const p = o.Date;\n',
      'src/session/a.ts': 'export const a = Date.now();\n',
    },
  },
  {
    wall: 'impure',
    title: 'no dice and no locale in a pure room; the rest of Math stays',
    broken: {
      'src/critic/a.ts': 'export const a = Math.random();\n',
      'src/model/a.ts':
        "const { random } = Math;\nexport const b = Math['random']();\nexport const c = 'a'.localeCompare('b');\nexport const d = Intl;\n",
    },
    at: ['src/critic/a.ts:1', 'src/model/a.ts:1', 'src/model/a.ts:2', 'src/model/a.ts:3', 'src/model/a.ts:4'],
    whole: { 'src/model/a.ts': 'export const a = Math.max(1, 2) + Math.PI;\n' },
  },
  {
    wall: 'cycle',
    title: 'no file reaches itself, not even through types',
    broken: {
      'src/model/a.ts': "import type { B } from './b.ts';\nexport type A = B;\n",
      'src/model/b.ts': "import { c } from './c.ts';\nexport type B = typeof c;\n",
      'src/model/c.ts': "export type { A } from './a.ts';\nexport const c = 1;\n",
    },
    at: ['src/model/a.ts:1'],
    whole: {
      'src/model/a.ts': "import './b.ts';\nimport './c.ts';\n",
      'src/model/b.ts': "import './c.ts';\n",
      'src/model/c.ts': noun,
    },
  },
  {
    wall: 'cycle',
    title: 'a file that imports itself, and two knots apart',
    broken: {
      'src/model/a.ts': "import './a.ts';\n",
      'src/model/b.ts': "import './c.ts';\n",
      'src/model/c.ts': "import './b.ts';\n",
    },
    at: ['src/model/a.ts:1', 'src/model/b.ts:1'],
    whole: { 'src/model/b.ts': "import './c.ts';\n", 'src/model/c.ts': noun },
  },
  {
    wall: 'module-mock',
    title: 'no module is mocked',
    broken: { 'src/model/a.test.ts': "vi.mock('./a.ts');\nvi.doMock('./b.ts');\n" },
    at: ['src/model/a.test.ts:1', 'src/model/a.test.ts:2'],
    whole: { 'src/model/a.test.ts': "// vi.mock is banned\nexpect('vi.mock').toBe('vi.mock');\n" },
  },
  {
    wall: 'sleep',
    title: 'no test waits for real time',
    broken: {
      'test/a.test.ts': "import 'node:timers/promises';\nsetTimeout(() => {}, 5);\n",
    },
    at: ['test/a.test.ts:2', 'test/a.test.ts:1'],
    whole: { 'test/a.test.ts': 'clock.advance(5);\n' },
  },
  {
    wall: 'default-export',
    title: 'everything is exported by name',
    broken: {
      'src/model/a.ts': 'export default 1;\n',
      'src/model/b.ts': 'const b = 1;\nexport { b as default };\n',
    },
    at: ['src/model/a.ts:1', 'src/model/b.ts:2'],
    whole: { 'src/model/a.ts': noun },
  },
  {
    wall: 'star-export',
    title: 'a door lists its names',
    broken: { 'src/index.ts': "export * from './model/a.ts';\nexport * as b from './model/b.ts';\n" },
    at: ['src/index.ts:1', 'src/index.ts:2'],
    whole: { 'src/index.ts': "export { a } from './model/a.ts';\n" },
  },
  {
    wall: 'file-name',
    title: 'names are kebab-case',
    broken: { 'src/model/planStep.ts': noun, 'src/model/Plan/a.ts': noun },
    at: ['src/model/planStep.ts:1', 'src/model/Plan/a.ts:1'],
    whole: { 'src/model/plan-step.ts': noun, 'src/model/plan-step.test.ts': noun },
  },
  {
    wall: 'unparsed',
    title: 'a file that is not TypeScript hides nothing',
    broken: { 'src/model/a.ts': 'export const = ;\n' },
    at: ['src/model/a.ts:1'],
    whole: { 'src/model/a.ts': noun },
  },
  {
    wall: 'file-lines',
    title: 'a file has at most 400 lines',
    broken: { ...filler(20, 1), 'src/model/big.ts': manyLines(401) },
    at: ['src/model/big.ts:400'],
    whole: { ...filler(20, 1), 'src/model/big.ts': manyLines(400) },
  },
  {
    wall: 'median-lines',
    title: 'half of the files have at most 80 lines',
    broken: { ...filler(2, 81), 'src/model/small.ts': noun },
    at: ['src:1'],
    whole: { ...filler(1, 81), 'src/model/small.ts': noun, 'src/model/small-too.ts': noun },
  },
  {
    wall: 'p90-lines',
    title: 'nine of ten files have at most 250 lines',
    broken: { ...filler(8, 1), 'src/model/b.ts': manyLines(251), 'src/model/c.ts': manyLines(251) },
    at: ['src:1'],
    whole: { ...filler(9, 1), 'src/model/c.ts': manyLines(251) },
  },
];

describe('a broken wall is seen', () => {
  test.each(CASES)('$wall: $title', ({ wall, broken, at, whole }) => {
    expect(walls(broken)).toEqual(at.map((place) => `${wall} ${place}`));
    expect(walls(whole).filter((found) => found.startsWith(`${wall} `))).toEqual([]);
  });

  test('every wall is broken at least once above', () => {
    expect(new Set(CASES.map(({ wall }) => wall))).toEqual(new Set(WALLS));
  });
});
