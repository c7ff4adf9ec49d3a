/** Proves that a session can be looked at under other rules, and as it stood at any of its events. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rubricFor } from '../../src/critic/rubrics.ts';
import { type RunOutcome, STANDARD_GRAPHS, type StateView, type WhatIf } from '../../src/index.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;
const RUN = ['run', 'support', '--goal', 'Refund order ord_881', '--input', 'order_id=ord_881'];
const BO = ['--as', 'bo', '--role', 'finance'];

let project: Project;
let runId = '';

beforeAll(() => {
  project = openProject();
  expect(project.ambit('init')).toMatchObject({ exit: 0 });
  runId = project.json<RunOutcome>(...RUN, '--yes', ...BO).runId;
}, SLOW);
afterAll(() => project.remove());

test('what policies that forbid it would have decided otherwise', { timeout: SLOW }, () => {
  project.write('rules/own.cedar', '@id("own.nobody")\nforbid (principal, action, resource);\n');
  const other = project.ambit('replay', runId, '--policies', 'rules', '--json');
  expect(other.exit).toBe(1);
  const found = JSON.parse(other.out) as WhatIf;
  expect(found).toMatchObject({ session: runId, recorded: 'SUCCESS' });
  expect(found.decisions).not.toEqual([]);
  expect(found.derived === 'SUCCESS' && found.unknownFrom === null).toBe(false);
  const words = project.ambit('replay', runId, '--policies', 'rules');
  expect(words).toMatchObject({ exit: 1, out: expect.stringContaining('decisions would have been others') });
  expect(words.out).toMatch(/ends SUCCESS → /);
});

test('where the config has no policies to compare with, the command that takes others is named', {
  timeout: SLOW,
}, () => {
  project.write('rules/own.cedar', '@id("own.nobody")\nforbid (principal, action, resource);\n');
  const refused = project.ambit('policy', 'shadow', '--policies', 'rules', '--json');
  expect(refused).toMatchObject({ exit: 2, out: '' });
  const { error } = JSON.parse(refused.err) as { readonly error: { readonly message: string; readonly fix: string } };
  expect(error.message).not.toContain('whatIf');
  expect(error.fix).toBe(`ambit replay ${runId} --policies rules`);
  const [, ...typed] = error.fix.split(' ');
  expect(project.ambit(...typed)).toMatchObject({ exit: 1, err: '' });
});

test('limits that would have made no difference', { timeout: SLOW }, () => {
  project.write('same.json', '{ "gateTtlMs": 86400000 }');
  expect(project.ambit('replay', runId, '--limits', 'same.json')).toMatchObject({
    exit: 0,
    out: expect.stringContaining('nothing would have been decided otherwise'),
  });
});

test('what another yardstick would have judged otherwise, and that its own judges the same', { timeout: SLOW }, () => {
  const usual = rubricFor('moderate');
  project.write('usual.json', JSON.stringify(usual));
  project.write('strict.json', JSON.stringify({ ...usual, name: 'strict', floors: { policy: 1, utility: 1 } }));
  expect(project.ambit('replay', runId, '--rubric', 'usual.json')).toMatchObject({ exit: 0 });
  const other = project.ambit('replay', runId, '--rubric', 'strict.json', '--json');
  expect(other.exit).toBe(1);
  const found = JSON.parse(other.out) as WhatIf;
  expect(found).toMatchObject({ recorded: 'SUCCESS', derived: null });
  expect(found.decisions.map(({ about }) => about)).toContainEqual(expect.stringMatching(/^run_escalated /));
});

test('where another graph would have waited for somebody', { timeout: SLOW }, () => {
  const other = project.ambit('replay', runId, '--graph', 'supervised', '--json');
  expect(other.exit).toBe(1);
  expect(JSON.parse(other.out)).toMatchObject({ recorded: 'SUCCESS', derived: null, unknownFrom: { frame: 3 } });
  project.write('supervised.json', JSON.stringify(STANDARD_GRAPHS.supervised));
  const fromFile = project.ambit('replay', runId, '--graph', 'supervised.json', '--json');
  expect(fromFile).toEqual(other);
});

test('what cannot be looked at under is refused with what there is', { timeout: SLOW }, () => {
  project.write('rubric.json', '{ "name": "strict" }');
  project.write('graph.json', '{ "name": "mine" }');
  for (const [flag, value, said] of [
    ['--graph', 'sideways', 'name one of'],
    ['--graph', 'graph.json', 'graph'],
    ['--rubric', 'rubric.json', 'rubric'],
    ['--rubric', 'nowhere.json', '--rubric'],
    ['--policies', 'nowhere', 'nowhere'],
  ] as const) {
    const refused = project.ambit('replay', runId, flag, value);
    expect(refused, `${flag} ${value}`).toMatchObject({ exit: 2, out: '' });
    expect(refused.err).toContain(said);
  }
});

test('how a session stood at an event, by the number that events prints', { timeout: SLOW }, () => {
  const lines = project.ambit('sessions', 'events', runId).out.trimEnd().split('\n');
  const committed = lines.findIndex((line) => line.endsWith('step_committed'));
  expect(lines[committed]).toMatch(new RegExp(`^ +${committed + 1} `));
  const at = String(committed + 1);
  const state = project.json<StateView>('sessions', 'show', runId, '--at', at);
  expect(state).toMatchObject({ run_id: runId, event: committed + 1, happened: 'step_committed' });
  const shown = project.ambit('sessions', 'show', runId, '--at', at);
  expect(shown).toMatchObject({ exit: 0, out: expect.stringContaining(`after event ${at}, step_committed`) });
  expect(shown.out).toMatch(/✓ look +orders\.lookup/);
  expect(shown.out).not.toMatch(/✓ refund/);
  const beyond = project.ambit('sessions', 'show', runId, '--at', '9999');
  expect(beyond).toMatchObject({ exit: 2, out: '' });
  expect(beyond.err).toContain(`the events 1 to ${lines.length}`);
});
