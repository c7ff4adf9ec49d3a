/**
 * A process that keeps vitest warm over a copy of the tree. It runs one order at a time: a second order in the same
 * process takes a fraction of the first, because the files that did not change are not transformed again.
 */
import { join } from 'node:path';
import { createVitest, type TestCase, type Vitest } from 'vitest/node';
import { READY, type TestOrder, type TestResult } from './messages.ts';

const root = process.cwd();
const vitest = await createVitest('test', {
  root,
  watch: false,
  reporters: [{}],
  maxWorkers: 1,
});

process.on('disconnect', () => process.exit());
process.on('message', (order: TestOrder) => {
  void execute(vitest, order).then((result) => process.send?.(result));
});
process.send?.(READY);

async function execute(server: Vitest, { test, ids, changed }: TestOrder): Promise<TestResult> {
  for (const file of changed) server.invalidateFile(join(root, file));
  server.setGlobalTestNamePattern(new RegExp(`\\[(?:.+, )?(?:${ids.join('|')})(?:, .+)?\\]$`));
  const module = join(root, test);
  const { testModules, unhandledErrors } = await server.runTestSpecifications([
    server.getRootProject().createSpecification(module),
  ]);
  const ran = testModules.filter(({ moduleId }) => moduleId === module);
  return {
    tests: ran.flatMap((one) => [...one.children.allTests()]).flatMap(stateOf),
    errors: [...ran.flatMap((one) => one.errors()), ...unhandledErrors].map(messageOf),
  };
}

function stateOf(one: TestCase): TestResult['tests'] {
  const { state } = one.result();
  const ids = one.meta().requirements ?? [];
  return state === 'passed' || state === 'failed' ? [{ ids, state }] : [];
}

const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
