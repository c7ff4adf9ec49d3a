/** Proves each figure of `npm run house` on a small project. */
import { expect, test } from 'vitest';
import { type Figures, measure } from '../../scripts/house/figures.ts';
import { LIST_NAMES, type ListName, listOf } from '../../scripts/house/lists.ts';
import { wordsOf } from '../../scripts/house/rules/private-words.ts';
import { type Files, filler, manyLines } from './case.ts';

const project = (files: Files) => ({ files: new Map(Object.entries(files)), packages: [] });
const figures = (files: Files): Figures => measure(project(files));
const list = (name: ListName, files: Files): readonly string[] => listOf(project(files), name);

test('the JSON object has the agreed keys in the agreed order', () => {
  expect(JSON.stringify(figures({}))).toBe(
    '{"files":0,"lines":0,"median":0,"max_file":0,"max_function":0,"largest_folder":0,"longest_chain":0,' +
      '"double_names":0,"kernel_entry_files":0,"root_exports":0,"private_words":0,"runtime_methods":0}',
  );
});

test('files and lines leave out tests and everything outside src', () => {
  const files = {
    ...filler(3, 2),
    'src/model/a.test.ts': manyLines(9),
    'test/b.ts': manyLines(9),
    'src/c.ts': manyLines(5),
  };
  expect(figures(files)).toMatchObject({ files: 4, lines: 11, median: 2, max_file: 5 });
});

test('largest_folder leaves out uniform folders, tests and sub-folders', () => {
  const checks = Array.from({ length: 9 }, (_, at) => [`src/kernel/verify/checks/c${at}.ts`, 'void 1;\n']);
  const files = {
    ...filler(4, 1),
    ...Object.fromEntries(checks),
    'src/model/a.test.ts': '',
    'src/model/plan/a.ts': '',
  };
  expect(figures(files).largest_folder).toBe(4);
  expect(list('folders', files)).toEqual(['4 src/model', '1 src/model/plan']);
});

test('max_function counts nested functions, but neither blank lines nor comments nor suites', () => {
  const files = {
    'src/model/a.ts': `export function a() {\n  // one\n\n  return [1].map((b) => {\n    return b; // two\n  });\n}\n`,
    'src/testing/contracts/b.ts': `export function b() {\n${manyLines(90)}}\n`,
  };
  expect(figures(files).max_function).toBe(5);
  expect(list('functions', files)[0]).toBe('5 src/model/a.ts:1 a');
});

test('longest_chain follows static imports of values only', () => {
  const files = {
    'src/model/a.ts': "import { b } from './b.ts';\nimport type { D } from './d.ts';\nexport const a: D = b;\n",
    'src/model/b.ts': "export { c } from './c.ts';\n",
    'src/model/c.ts': "import { type D } from './d.ts';\nexport const c = () => import('./d.ts');\n",
    'src/model/d.ts': "export type { E } from './e.ts';\nexport type D = import('./e.ts').E;\n",
    'src/model/e.ts': 'export type E = 1;\n',
    'src/model/a.test.ts': "import './a.ts';\n",
  };
  expect(list('chain', files)).toEqual(['1 src/model/a.ts', '2 src/model/b.ts', '3 src/model/c.ts']);
});

test('double_names and kernel_entry_files count each name and file once', () => {
  const files = {
    'src/kernel/a.ts': 'export const a = 1;\n',
    'src/kernel/b.ts': "import { a } from './a.ts';\nexport const b = a;\n",
    'src/session/a.ts': "import { a as c } from '../kernel/a.ts';\nexport const a = c;\n",
    'src/session/b.ts': "import type { a } from '../kernel/a.ts';\nexport { a } from './a.ts';\n",
    'src/session/c.test.ts': "import '../kernel/b.ts';\n",
  };
  expect(figures(files)).toMatchObject({ double_names: 1, kernel_entry_files: 1 });
  expect(list('double_names', files)).toEqual(['a: src/kernel/a.ts:1 src/session/a.ts:2']);
  expect(list('kernel_entry', files)).toEqual(['src/kernel/a.ts: src/session/a.ts:1 src/session/b.ts:1']);
});

test('root_exports counts the names of src/index.ts, types included', () => {
  const files = {
    'src/index.ts': "export { a, type B } from './a.ts';\nexport type { C } from './c.ts';\nexport const d = 1;\n",
  };
  expect(figures(files).root_exports).toBe(4);
});

test('private_words counts distinct names and lists every place', () => {
  const files = {
    'src/session/bell.ts': 'export const ring = (bell: 1) => bell;\nexport const toll = (bell: 2) => bell;\n',
  };
  expect(figures(files).private_words).toBe(2);
  expect(list('private_words', files)).toEqual([
    'bell (bell): src/session/bell.ts:1 src/session/bell.ts:2',
    'bell.ts (bell): src/session/bell.ts:1',
  ]);
});

test('a name splits into words at case borders, underscores and hyphens', () => {
  expect(wordsOf('leaseHTTPRoom_of')).toEqual(['lease', 'http', 'room', 'of']);
  expect(wordsOf('ON_THE_WAY2back')).toEqual(['on', 'the', 'way', 'back']);
  expect(wordsOf('heed-kill.ts')).toEqual(['heed', 'kill', 'ts']);
  expect(wordsOf('gateway')).toEqual(['gateway']);
});

test('runtime_methods resolves extended interfaces and leaves groups out', () => {
  const files = {
    'src/index.ts': "export type { Ambit } from './runtime/ambit.ts';\n",
    'src/runtime/ambit.ts': `
      import type { Close, Gates, Base as Shared } from './parts.ts';
      interface Local extends Omit<Shared, 'hidden' | keyof Gates>, Readonly<{ pause(): void }> {}
      export interface Ambit extends Local, Pick<Shared, 'hidden'> {
        invoke(request: 1): void;
        invoke(request: 2): void;
        readonly close: Close;
        readonly resume: (id: string) => void;
        readonly gates: Gates;
        readonly version: string;
      }`,
    'src/runtime/parts.ts': `
      export type Close = () => void;
      export interface Gates { approve(): void }
      export type Base = { hidden(): void; approve(): void } & { readonly watch: Close };`,
  };
  expect(list('runtime_methods', files)).toEqual(['close', 'hidden', 'invoke', 'pause', 'resume', 'watch']);
  expect(figures(files).runtime_methods).toBe(6);
});

test('runtime_methods refuses a type that it cannot resolve', () => {
  const files = { 'src/index.ts': 'export interface Ambit extends Missing {}\n' };
  expect(() => figures(files)).toThrow('src/index.ts: cannot resolve the type Missing');
});

test('every list of an empty project is empty', () => {
  for (const name of LIST_NAMES) expect(list(name, {})).toEqual([]);
});
