/** A default that does not fit its own schema is an annotation: it is not filled in, and declaring it warns once. */
import { expect, onTestFinished, test } from 'vitest';
import { completeArguments } from '../../../src/kernel/query/call/complete-arguments.ts';
import { before, kernelOf } from '../graphs/kernel.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';

const OPTIONS: RigOptions = {
  tools: {
    search: {
      produces: ['done'],
      input_schema: {
        type: 'object',
        properties: { text: { type: 'string' }, limit: { type: 'integer', default: 'ten' }, page: { default: 1 } },
        required: ['text'],
        additionalProperties: false,
      },
    },
  },
  plans: [planOf([{ id: 's1', tool: 'search', params: { text: 'x' } }])],
};

test('a call without the argument is sent without it', async () => {
  const bench = rig(OPTIONS);
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(bench.dispatches).toMatchObject([{ args: { text: 'x', page: 1 } }]);
  expect(bench.dispatches[0]?.args).not.toHaveProperty('limit');
  await bench.runtime.records.replay(runId);
});

test('a run recorded without the rule takes the default', async () => {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const env = kernelOf(OPTIONS);
  const state = before(env, await bench.events(runId), 'step_cleared');
  if (state.manifest === null) throw new Error('no manifest');
  const rules = (state.manifest.rules ?? []).filter((rule) => rule !== 'unfit_defaults_ignored');
  const older = { ...state, manifest: { ...state.manifest, rules } };
  expect(completeArguments(env, older, 'search', { text: 'x' })).toEqual({ text: 'x', limit: 'ten', page: 1 });
  expect(completeArguments(env, state, 'search', { text: 'x' })).toEqual({ text: 'x', page: 1 });
});

test('declaring the tool warns once in a process', async () => {
  const warnings: string[] = [];
  const note = (warning: Error): void => {
    if ('code' in warning && warning.code === 'AMBIT_UNFIT_DEFAULT') warnings.push(warning.message);
  };
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const tools = { find: { ...OPTIONS.tools?.['search'] } };
  for (let times = 0; times < 2; times += 1) rig({ ...OPTIONS, tools });
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(warnings).toEqual(['tool find: the default of /limit does not fit its own schema, so it is not filled in']);
});
