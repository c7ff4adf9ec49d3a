/** Tools of every mode and of the categories that check their arguments. */
import { tmpdir } from 'node:os';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { ToolSpec } from '../../src/model/tool/tool.ts';
import { toolSpec } from '../runs/rig.ts';
import type { Dice } from './dice.ts';
import { anything, monster, plain } from './hostile.ts';

const STRICT: JsonObject = {
  type: 'object',
  properties: {
    id: { type: 'integer', minimum: 0 },
    text: { type: 'string', maxLength: 100 },
    list: { type: 'array', items: { type: 'string' }, maxItems: 5 },
  },
  required: ['id'],
  additionalProperties: false,
};

export const SPECS: readonly ToolSpec[] = [
  toolSpec('free'),
  toolSpec('strict', { input_schema: STRICT }),
  toolSpec('writer', { approval_mode: 'local_write', side_effect: true, idempotency: { kind: 'none' } }),
  toolSpec('sender', { approval_mode: 'network', side_effect: true, gates: ['GATE_SENDING'] }),
  toolSpec('eraser', { approval_mode: 'destructive', side_effect: true }),
  toolSpec('small', { limits: { payload_max_bytes: 1_000, concurrency: 1 } }),
  toolSpec('forbidden'),
  toolSpec('off', { active: false }),
  toolSpec('query', {
    category: 'database',
    rules: {
      statement: '/text',
      allow: ['select', 'insert'],
      tables: ['notes', 'shop.*'],
      read_only: '/flag',
      log: { transaction: '/note', rows: '/ok' },
    },
  }),
  toolSpec('reader', {
    category: 'file_system',
    rules: { root: tmpdir(), allow: ['.'], paths: ['/text', '/list'], operation: 'read' },
  }),
  toolSpec('mailer', {
    category: 'email_calendar',
    rules: {
      operation: { at: '/id', free: ['draft'] },
      recipients: ['/list'],
      content: ['/text'],
      intent: '/text',
      timing: '/when',
    },
  }),
  toolSpec('payer', {
    category: 'payment',
    rules: {
      operation: { at: '/text', free: ['quote'] },
      amount: { at: '/amount', max: 100 },
      currency: { at: '/to', allow: ['EUR'] },
      vendor: { at: '/to', allow: ['EUR'] },
      chain: { at: '/to', allow: ['EUR'] },
      terms: { at: '/to', allow: ['EUR'] },
      budget: '/amount',
    },
  }),
  toolSpec('sandbox', {
    category: 'sandbox_code',
    rules: {
      code: '/text',
      inputs: '/list',
      limits: '/id',
      outputs: '/ok',
      errors: '/note',
      files: '/list',
      changed: '/note',
    },
  }),
];

/** The result of a misbehaving tool. */
export function misbehave(dice: Dice): unknown {
  const kind = dice.roll(10);
  if (kind < 5) return { ok: true, note: plain(dice) };
  if (kind < 8) return anything(dice);
  if (kind === 8) throw monster(dice);
  return Promise.reject(monster(dice));
}

const STATEMENTS: readonly string[] = [
  'select id from notes',
  'select * from secrets',
  "select 1; drop table notes -- '",
  'select /* notes */ id from notes where text = $$x$$',
  'insert into notes (id) values (?)',
  'with x as (select id from notes) select id from x',
  `select ${'('.repeat(200)}1${')'.repeat(200)} from notes`,
  "select 'unfinished from notes",
  'notes/../../etc/passwd',
  'a/./b',
  '2026-13-45T99:99:99Z',
  'ana@example.com',
];

/** Arguments, from ordinary ones to values that are not data. */
export function offeredArgs(dice: Dice): unknown {
  const kind = dice.roll(12);
  if (kind < 2) return { id: dice.roll(10), text: 'ordinary' };
  if (kind < 5) {
    const text = dice.pick(STATEMENTS);
    const when = dice.pick(['2999-01-01T00:00:00Z', text]);
    const to = dice.pick(['EUR', text]);
    return {
      id: 1,
      text,
      list: [dice.pick(STATEMENTS)],
      to,
      when,
      amount: dice.roll(200) - 50,
      flag: dice.chance(0.9),
    };
  }
  if (kind < 7) return plain(dice, 3);
  return kind === 11 ? monster(dice) : anything(dice, 4);
}
