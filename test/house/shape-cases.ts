import { type Case, filler, manyLines, oneLine } from './case.ts';

/** Cases for the rules on files, folders, functions, names and tests. */
export const SHAPE_CASES: readonly Case[] = [
  {
    rule: 'module-mock',
    title: 'no module is mocked',
    broken: { 'src/model/a.test.ts': "vi.mock('./a.ts');\nvi.doMock('./b.ts');\n" },
    at: ['src/model/a.test.ts:1', 'src/model/a.test.ts:2'],
    kept: { 'src/model/a.test.ts': "// vi.mock is banned\nexpect('vi.mock').toBe('vi.mock');\n" },
  },
  {
    rule: 'sleep',
    title: 'no test waits for real time',
    broken: {
      'test/a.test.ts': "import 'node:timers/promises';\nsetTimeout(() => {}, 5);\n",
    },
    at: ['test/a.test.ts:2', 'test/a.test.ts:1'],
    kept: { 'test/a.test.ts': 'clock.advance(5);\n' },
  },
  {
    rule: 'default-export',
    title: 'every export has a name',
    broken: {
      'src/model/a.ts': 'export default 1;\n',
      'src/model/b.ts': 'const b = 1;\nexport { b as default };\n',
    },
    at: ['src/model/a.ts:1', 'src/model/b.ts:2'],
    kept: { 'src/model/a.ts': oneLine },
  },
  {
    rule: 'star-export',
    title: 'an entry lists its names',
    broken: { 'src/index.ts': "export * from './model/a.ts';\nexport * as b from './model/b.ts';\n" },
    at: ['src/index.ts:1', 'src/index.ts:2'],
    kept: { 'src/index.ts': "export { a } from './model/a.ts';\n" },
  },
  {
    rule: 'file-name',
    title: 'names are kebab-case',
    broken: { 'src/model/planStep.ts': oneLine, 'src/model/Plan/a.ts': oneLine },
    at: ['src/model/planStep.ts:1', 'src/model/Plan/a.ts:1'],
    kept: { 'src/model/plan-step.ts': oneLine, 'src/model/plan-step.test.ts': oneLine },
  },
  {
    rule: 'syntax',
    title: 'a file that does not parse is reported',
    broken: { 'src/model/a.ts': 'export const = ;\n' },
    at: ['src/model/a.ts:1'],
    kept: { 'src/model/a.ts': oneLine },
  },
  {
    rule: 'file-lines',
    title: 'a file has at most 400 lines',
    broken: { ...filler(20, 1), 'src/model/big.ts': manyLines(401) },
    at: ['src/model/big.ts:400'],
    kept: { ...filler(20, 1), 'src/model/big.ts': manyLines(400) },
  },
  {
    rule: 'median-lines',
    title: 'the median file has at most 80 lines',
    broken: { ...filler(2, 81), 'src/model/small.ts': oneLine },
    at: ['src:1'],
    kept: { ...filler(1, 81), 'src/model/small.ts': oneLine, 'src/model/small-too.ts': oneLine },
  },
  {
    rule: 'p90-lines',
    title: 'the 90th percentile has at most 250 lines',
    broken: { ...filler(8, 1), 'src/model/b.ts': manyLines(251), 'src/model/c.ts': manyLines(251) },
    at: ['src:1'],
    kept: { ...filler(9, 1), 'src/model/c.ts': manyLines(251) },
  },
  {
    rule: 'folder-size',
    title: 'a folder has at most 25 files, tests and sub-folders aside',
    broken: filler(26, 1),
    at: ['src/model:1'],
    kept: { ...filler(25, 1), 'src/model/a.test.ts': oneLine, 'src/model/plan/a.ts': oneLine },
  },
  {
    rule: 'uniform-folder',
    title: 'the table of a uniform folder imports every file of it',
    broken: {
      'src/critic/evaluators/standard-evaluators.ts': "import '../run/a.ts';\n",
      'src/critic/run/a.ts': oneLine,
      'src/critic/run/b.ts': oneLine,
    },
    at: ['src/critic/run/b.ts:1'],
    kept: {
      'src/critic/evaluators/standard-evaluators.ts': Array.from(
        { length: 26 },
        (_, at) => `import '../run/n${at}.ts';\n`,
      ).join(''),
      ...Object.fromEntries(Array.from({ length: 26 }, (_, at) => [`src/critic/run/n${at}.ts`, oneLine])),
    },
  },
  {
    rule: 'function-lines',
    title: 'a function has at most 70 lines of code, nested functions included',
    broken: {
      'src/gateway/a.ts': `export function a() {\n  const b = () => {\n${oneLine.repeat(67)}  };\n  b();\n}\n`,
      'scripts/b.ts': `const c = { d() {\n${oneLine.repeat(69)}} };\nvoid c;\n`,
    },
    at: ['src/gateway/a.ts:1', 'scripts/b.ts:1'],
    kept: {
      'src/gateway/a.ts': `export function a() {\n// comment\n\n/* long\ncomment */\n${oneLine.repeat(68)}}\n`,
      'src/gateway/a.test.ts': `describe('a', () => {\n${manyLines(90)}});\n`,
      'src/testing/contracts/a.ts': `export function suite() {\n${manyLines(90)}}\n`,
    },
  },
  {
    rule: 'private-word',
    title: 'identifiers use no private word, in any position or in the plural',
    broken: {
      'src/gateway/a.ts':
        'export interface LeaseRoom {\n  readonly open_doors: number;\n}\nconst wayOut = 1;\nvoid wayOut;\n',
      'src/gateway/b.ts': 'export function b(desk: number, { c: seatB }: { c: 1 }) {\n  return desk + seatB;\n}\n',
      'src/gateway/c.ts': "import { a as given } from './d.ts';\nexport const e = { told: given };\n",
    },
    at: [
      'src/gateway/a.ts:1',
      'src/gateway/b.ts:1',
      'src/gateway/c.ts:1',
      'src/gateway/a.ts:2',
      'src/gateway/b.ts:1',
      'src/gateway/c.ts:2',
      'src/gateway/a.ts:4',
    ],
    kept: {
      'src/gateway/gateway.ts':
        '// the room beside the door\nexport const a = { kind: 1, always: 2, foretold: "told" };\n',
      'src/model/run-statement.ts': 'export interface RunStatement {\n  readonly said: string;\n}\n',
      'src/record/a.ts': 'export const b = ({ said_by }: { said_by: 1 }) => said_by;\n',
      'src/gateway/a.test.ts': 'const room = 1;\nvoid room;\n',
      'test/a.ts': 'export const door = 1;\n',
    },
  },
  {
    rule: 'private-word',
    title: 'files and folders use no private word',
    broken: { 'src/roles/desk/a.ts': oneLine, 'src/session/heed-kill.ts': oneLine },
    at: ['src/roles/desk:1', 'src/session/heed-kill.ts:1'],
    kept: { 'src/roles/desktop/a.ts': oneLine },
  },
  {
    rule: 'double-name',
    title: 'two files do not export the same name, other than by re-export',
    broken: {
      'src/model/a.ts': 'export interface A {}\nexport const A = 1;\n',
      'src/model/b.ts': 'const b = 1;\nexport { b as A };\n',
      'src/gateway/c.ts': 'export const { A } = { A: 1 };\n',
    },
    at: ['src/model/b.ts:2', 'src/gateway/c.ts:1'],
    kept: {
      'src/model/a.ts': 'export const a = 1;\n',
      'src/model/index.ts': "export { a } from './a.ts';\n",
      'src/ports/b.ts': "import { a } from '../model/a.ts';\nexport { a };\n",
      'src/ports/b.test.ts': 'export const a = 1;\n',
    },
  },
];
