/** Whatever is wrong with how an agent is put together is said before anything runs. */
import { describe, expect, test } from 'vitest';
import { type AmbitOptions, ambit } from '../../../src/compose.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { agentFor, toolSpec } from '../rig.ts';

const TOOL = { spec: toolSpec('finish', { produces: ['done'] }), execute: () => ({ ok: true }) };
const OPTIONS: AmbitOptions = { agent: agentFor(['finish']), tools: [TOOL], planner: scriptedPlanner([]) };

const put = (options: unknown) => (): unknown => ambit(options as AmbitOptions);
const refusal = (code: string, path: string | undefined, message: string): unknown =>
  expect.objectContaining({ code, path, message: expect.stringContaining(message) });

test('what fits is put together', () => {
  expect(ambit({ ...OPTIONS, limits: { gateTtlMs: 1, planning: 'stepwise' } })).toHaveProperty('invoke');
});

describe('refused, and the reason helps:', () => {
  test.each<[name: string, options: unknown, code: string, path: string | undefined, message: string]>([
    ['nothing', undefined, 'input_missing', undefined, 'ambit({ agent, tools, planner })'],
    ['null', null, 'input_missing', undefined, 'ambit({ agent, tools, planner })'],
    ['a list', [], 'input_missing', undefined, 'ambit({ agent, tools, planner })'],
    ['no agent', { ...OPTIONS, agent: undefined }, 'input_missing', '/agent', 'agent'],
    ['no tools', { ...OPTIONS, tools: undefined }, 'input_missing', '/tools', 'tool registry'],
    ['no planner', { ...OPTIONS, planner: undefined }, 'input_missing', '/planner', 'propose()'],
    ['a planner that cannot', { ...OPTIONS, planner: {} }, 'input_missing', '/planner', 'propose()'],
    ['a misspelt option', { ...OPTIONS, tool: [], verfication: false }, 'input_invalid', '/tool', '"verfication"'],
    ['an option of a prototype', { ...OPTIONS, toString: 1 }, 'input_invalid', '/toString', '"toString"'],
    ['a misspelt part of the world', { ...OPTIONS, world: { clok: {} } }, 'input_invalid', '/world/clok', '"clok"'],
    [
      'a tool without code',
      { ...OPTIONS, tools: [{ spec: TOOL.spec }] },
      'input_invalid',
      '/tools/0/execute',
      '"finish"',
    ],
    ['a bare spec as a tool', { ...OPTIONS, tools: [TOOL.spec] }, 'input_invalid', '/tools/0', '{ spec, execute }'],
    ['nothing as a tool', { ...OPTIONS, tools: [TOOL, null] }, 'input_invalid', '/tools/1', '{ spec, execute }'],
  ])('%s', (_name, options, code, path, message) => {
    expect(put(options)).toThrow(refusal(code, path, message) as Error);
  });
});

describe('no limit is', () => {
  test.each<[string, unknown]>([
    ['gateTtlMs', 0],
    ['gateTtlMs', -1],
    ['gateTtlMs', Number.NaN],
    ['gateTtlMs', Number.POSITIVE_INFINITY],
    ['gateTtlMs', 2 ** 52],
    ['gateTtlMs', '60000'],
    ['gateTtlMs', undefined],
    ['dispatchWindowMs', 0.5],
    ['retryBaseMs', -200],
    ['intentConfidence', 1.01],
    ['intentConfidence', -1],
    ['denialsMax', Number.MAX_SAFE_INTEGER],
    ['denialsMax', 0],
    ['contextLimit', 2 ** 60],
    ['onEscalate', 'ignore'],
    ['planning', 'never'],
    ['plannerCost', { input_tokens: -1, output_tokens: 0, microusd: 0 }],
  ])('%s: %j', (name, value) => {
    const path: unknown = expect.stringMatching(new RegExp(`^/${name}`));
    expect(put({ ...OPTIONS, limits: { [name]: value } })).toThrow(
      expect.objectContaining({ code: 'input_invalid', path }) as Error,
    );
  });

  test('one that nobody knows', () => {
    expect(put({ ...OPTIONS, limits: { loopGuard: false } })).toThrow(
      expect.objectContaining({ code: 'input_invalid', message: expect.stringContaining('loopGuard') }) as Error,
    );
  });
});
