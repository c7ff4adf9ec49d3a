import { type Case, oneLine } from './case.ts';

/** Cases for the rules on imports and purity. */
export const IMPORT_CASES: readonly Case[] = [
  {
    rule: 'folder-import',
    title: 'the kernel imports roles, even a type',
    broken: { 'src/kernel/machine/step.ts': "import type { A } from '../../roles/a.ts';\nexport type B = A;\n" },
    at: ['src/kernel/machine/step.ts:1'],
    kept: { 'src/kernel/machine/step.ts': "import type { A } from '../../model/a.ts';\nexport type B = A;\n" },
  },
  {
    rule: 'folder-import',
    title: 'an inline type import is an import',
    broken: { 'src/kernel/machine/step.ts': "export type B =\n  import('../../roles/a.ts').A;\n" },
    at: ['src/kernel/machine/step.ts:2'],
    kept: { 'src/kernel/machine/step.ts': "export type B = import('../../model/a.ts').A;\n" },
  },
  {
    rule: 'folder-import',
    title: 'a re-export and a dynamic import are imports',
    broken: {
      'src/gateway/a.ts': "export { a } from '../record/a.ts';\nawait import('../roles/a.ts');\n",
    },
    at: ['src/gateway/a.ts:1', 'src/gateway/a.ts:2'],
    kept: { 'src/gateway/a.ts': "export { a } from '../ports/a.ts';\n" },
  },
  {
    rule: 'folder-import',
    title: 'session imports the acting folders only in its Effects table',
    broken: { 'src/session/loop.ts': "import { a } from '../gateway/a.ts';\nexport { a };\n" },
    at: ['src/session/loop.ts:1'],
    kept: { 'src/session/perform/effects.ts': "import { a } from '../../gateway/a.ts';\nexport { a };\n" },
  },
  {
    rule: 'folder-import',
    title: 'replay imports neither gateway nor roles',
    broken: { 'src/replay/a.ts': "import '../gateway/a.ts';\nimport '../roles/a.ts';\n" },
    at: ['src/replay/a.ts:1', 'src/replay/a.ts:2'],
    kept: { 'src/replay/a.ts': "import '../kernel/index.ts';\nimport '../critic/a.ts';\n" },
  },
  {
    rule: 'folder-import',
    title: 'the command line imports published entries only',
    broken: { 'src/cli/run.ts': "import { a } from '../session/a.ts';\nexport { a };\n" },
    at: ['src/cli/run.ts:1'],
    kept: { 'src/cli/run.ts': "import { a } from '../index.ts';\nexport { a };\n" },
  },
  {
    rule: 'adapter-import',
    title: 'only the composition root imports an adapter',
    broken: {
      'src/session/loop.ts': "import '../adapters/sqlite/index.ts';\n",
      'src/index.ts': "export { a } from './adapters/sqlite/index.ts';\n",
      'src/testing/a.ts': "import '../adapters/sqlite/index.ts';\n",
    },
    at: ['src/session/loop.ts:1', 'src/index.ts:1', 'src/testing/a.ts:1'],
    kept: {
      'src/compose.ts': "import './adapters/sqlite/index.ts';\n",
      'src/index.ts': "export { a } from './compose.ts';\n",
      'src/testing/a.ts': "import '../adapters/memory/index.ts';\n",
    },
  },
  {
    rule: 'adapter-sibling',
    title: 'an adapter does not import another',
    broken: { 'src/adapters/sqlite/a.ts': "import '../memory/a.ts';\n" },
    at: ['src/adapters/sqlite/a.ts:1'],
    kept: { 'src/adapters/sqlite/a.ts': "import './b.ts';\nimport '../../ports/a.ts';\n" },
  },
  {
    rule: 'unknown-folder',
    title: 'a folder must be listed in plan.ts',
    broken: { 'src/utils/a.ts': oneLine, 'src/helper.ts': oneLine, 'src/adapters/a.ts': oneLine },
    at: ['src/utils/a.ts:1', 'src/helper.ts:1', 'src/adapters/a.ts:1'],
    kept: { 'src/model/a.ts': oneLine, 'src/adapters/memory/a.ts': oneLine },
  },
  {
    rule: 'not-shipped',
    title: 'a shipped file imports only shipped files',
    broken: {
      'src/model/a.ts': "import './b.test.ts';\nimport '../../test/x.ts';\n",
      'src/index.ts': "import '../scripts/x.ts';\n",
      'src/compose.ts': "import '../test/x.ts';\n",
    },
    at: ['src/model/a.ts:1', 'src/model/a.ts:2', 'src/index.ts:1', 'src/compose.ts:1'],
    kept: { 'src/model/a.test.ts': "import '../../test/x.ts';\n" },
  },
  {
    rule: 'package',
    title: 'the kernel imports no package, the model only zod',
    broken: {
      'src/kernel/state/a.ts': "import 'node:fs';\nimport type { z } from 'zod';\nexport type A = z;\n",
      'src/model/a.ts': "import 'ajv/dist/2020.js';\n",
      'src/critic/a.ts': "import '@scope/kept/deep';\n",
    },
    at: ['src/kernel/state/a.ts:1', 'src/kernel/state/a.ts:2', 'src/model/a.ts:1', 'src/critic/a.ts:1'],
    kept: { 'src/model/a.ts': "import 'zod';\n", 'src/gateway/a.ts': "import 'node:crypto';\n" },
  },
  {
    rule: 'undeclared-package',
    title: 'an imported package is declared in package.json',
    broken: { 'src/server/a.ts': "import 'vitest';\nimport '@scope/other';\n" },
    at: ['src/server/a.ts:1', 'src/server/a.ts:2'],
    kept: { 'src/server/a.ts': "import '@scope/kept/deep';\n", 'src/a/a.test.ts': "import 'vitest';\n" },
  },
  {
    rule: 'computed-import',
    title: 'an import names its target',
    broken: { 'src/gateway/a.ts': 'export const a = (name: string) => import(name);\n' },
    at: ['src/gateway/a.ts:1'],
    kept: {
      'src/gateway/a.ts': "export const a = () => import('./b.ts');\n",
      'src/cli/config/load-config.ts': 'export const a = (name: string) => import(name);\n',
    },
  },
  {
    rule: 'impure',
    title: 'no clock in a pure folder',
    broken: {
      'src/kernel/state/a.ts':
        'export const a = Date.now();\nexport const b = new Date();\nconst D = Date;\nexport const c = globalThis.Date;\n',
    },
    at: ['src/kernel/state/a.ts:1', 'src/kernel/state/a.ts:2', 'src/kernel/state/a.ts:3', 'src/kernel/state/a.ts:4'],
    kept: {
      'src/kernel/state/a.ts': 'export type A = Date;\nexport const o = { Date: 1 };\nexport const p = o.Date;\n',
      'src/session/a.ts': 'export const a = Date.now();\n',
    },
  },
  {
    rule: 'impure',
    title: 'no randomness and no locale in a pure folder; the rest of Math is allowed',
    broken: {
      'src/critic/a.ts': 'export const a = Math.random();\n',
      'src/model/a.ts':
        "const { random } = Math;\nexport const b = Math['random']();\nexport const c = 'a'.localeCompare('b');\nexport const d = Intl;\n",
    },
    at: ['src/critic/a.ts:1', 'src/model/a.ts:1', 'src/model/a.ts:2', 'src/model/a.ts:3', 'src/model/a.ts:4'],
    kept: { 'src/model/a.ts': 'export const a = Math.max(1, 2) + Math.PI;\n' },
  },
  {
    rule: 'cycle',
    title: 'no file imports itself through others, types included',
    broken: {
      'src/model/a.ts': "import type { B } from './b.ts';\nexport type A = B;\n",
      'src/model/b.ts': "import { c } from './c.ts';\nexport type B = typeof c;\n",
      'src/model/c.ts': "export type { A } from './a.ts';\nexport const c = 1;\n",
    },
    at: ['src/model/a.ts:1'],
    kept: {
      'src/model/a.ts': "import './b.ts';\nimport './c.ts';\n",
      'src/model/b.ts': "import './c.ts';\n",
      'src/model/c.ts': oneLine,
    },
  },
  {
    rule: 'cycle',
    title: 'a file that imports itself, and two separate cycles',
    broken: {
      'src/model/a.ts': "import './a.ts';\n",
      'src/model/b.ts': "import './c.ts';\n",
      'src/model/c.ts': "import './b.ts';\n",
    },
    at: ['src/model/a.ts:1', 'src/model/b.ts:1'],
    kept: { 'src/model/b.ts': "import './c.ts';\n", 'src/model/c.ts': oneLine },
  },
  {
    rule: 'kernel-order',
    title: 'a kernel folder imports only those to its left, types included',
    broken: {
      'src/kernel/query/plan/a.ts': "import type { A } from '../../flow/a.ts';\nexport type B = A;\n",
      'src/kernel/budget/a.ts': "import '../state/a.ts';\n",
      'src/kernel/handlers/a.ts': "import '../index.ts';\n",
      'src/kernel/step.ts': oneLine,
      'src/kernel/extra/a.ts': oneLine,
    },
    at: [
      'src/kernel/query/plan/a.ts:1',
      'src/kernel/budget/a.ts:1',
      'src/kernel/handlers/a.ts:1',
      'src/kernel/step.ts:1',
      'src/kernel/extra/a.ts:1',
    ],
    kept: {
      'src/kernel/query/plan/a.ts':
        "import '../../state/a.ts';\nimport '../call/a.ts';\nimport '../../../model/a.ts';\n",
      'src/kernel/machine/a.ts': "import '../handlers/a.ts';\n",
      'src/kernel/index.ts': "export { a } from './machine/a.ts';\nexport { b } from './state/b.ts';\n",
      'src/kernel/state/a.test.ts': "import '../machine/a.ts';\n",
    },
  },
  {
    rule: 'kernel-entry',
    title: 'other folders import kernel/index.ts alone',
    broken: {
      'src/session/a.ts': "import { a } from '../kernel/index.ts';\nimport { b } from '../kernel/machine/b.ts';\n",
      'src/testing/a.ts': "import type { C } from '../kernel/state/c.ts';\nexport type D = C;\n",
      'src/index.ts': "export { e } from './kernel/graph/e.ts';\n",
    },
    at: ['src/session/a.ts:2', 'src/testing/a.ts:1', 'src/index.ts:1'],
    kept: {
      'src/session/a.ts': "import { a } from '../kernel/index.ts';\n",
      'src/session/a.test.ts': "import { b } from '../kernel/machine/b.ts';\n",
      'test/runs/a.ts': "import { b } from '../../src/kernel/machine/b.ts';\n",
    },
  },
];
