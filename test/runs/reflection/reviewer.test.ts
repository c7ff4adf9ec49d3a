/** Whoever reflects or compresses may fail, hang or overspend; the run has an answer to each. */
import { expect, test } from 'vitest';
import { NO_COST } from '../../../src/model/tool.ts';
import { askForCompression, askForReflection } from '../../../src/session/ask-reviewer.ts';
import { proposed, turns } from '../endings/turns.ts';
import { planOf } from '../rig.ts';

const REASON = { code: 'low_confidence', step_id: 'a', message: 'doubtful', detail: {} };
const REFLECT = { kind: 'reflect', trigger: 'low_confidence', reason: REASON } as const;

function anyState() {
  const run = turns({ tools: { read: { produces: ['done'] } } });
  run.say(proposed(planOf([{ id: 'a', tool: 'read' }]), { context_tokens: 700 }));
  return run.state;
}

const failing = {
  reflect: async () => {
    throw new Error('no model');
  },
  compress: async () => {
    throw new Error('no model');
  },
};
const hanging = {
  reflect: () => new Promise<never>(() => undefined),
  compress: () => new Promise<never>(() => undefined),
};

test('a reflection that fails is a reflection that found nothing', async () => {
  const never = new AbortController().signal;
  expect(await askForReflection(failing, REFLECT, never)).toEqual({
    type: 'reflection_made',
    trigger: 'low_confidence',
    note: 'the reviewer failed: Error: no model',
    spent: NO_COST,
  });
});

test('a compression that fails counts as unsafe', async () => {
  expect(await askForCompression(failing, anyState(), new AbortController().signal)).toMatchObject({
    lost: ['the reviewer failed: Error: no model'],
    tokens: 700,
  });
});

test('one that hangs is left behind when the run calls it back', async () => {
  const recall = new AbortController();
  const answers = [
    askForReflection(hanging, REFLECT, recall.signal),
    askForCompression(hanging, anyState(), recall.signal),
  ];
  recall.abort();
  const [reflection, compression] = await Promise.all(answers);
  expect(reflection).toMatchObject({ type: 'reflection_made', note: 'the reviewer was called back' });
  expect(compression).toMatchObject({ type: 'context_compressed', lost: ['the reviewer was called back'] });
});
