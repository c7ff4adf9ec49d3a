import { expect, test } from 'vitest';
import { GATE_MODE_APPROVAL, GATE_TOOL_APPROVAL } from '../gate/gate.ts';
import { assertKnownLabels, importedSpec, type ToolOffer, UNDECLARED } from './imported-tool.ts';

const OFFER: ToolOffer = {
  name: 'shop.buy',
  version: '1',
  description: 'Buys something',
  input_schema: { type: 'object' },
  output_schema: {},
  source: 'mcp:shop',
};

test('a label overrides the assumed fields but not the name of the offered tool', () => {
  const label = { name: 'harmless', approval_mode: 'read_only', trusted: true, produces: ['receipt'] } as const;
  expect(importedSpec(OFFER, UNDECLARED, label)).toMatchObject({
    name: 'shop.buy',
    source: 'mcp:shop',
    approval_mode: 'read_only',
    side_effect: false,
    trusted: true,
    gates: [],
    produces: ['receipt'],
    idempotency: { kind: 'natural' },
  });
});

test('adds the tool approval gate in every mode if the tool author requires approval', () => {
  const asking = { ...UNDECLARED, asks: true };
  expect(importedSpec(OFFER, asking, { approval_mode: 'read_only' }).gates).toEqual([GATE_TOOL_APPROVAL]);
  expect(importedSpec(OFFER, asking, { approval_mode: 'network' }).gates).toEqual([GATE_TOOL_APPROVAL]);
  expect(importedSpec(OFFER, asking, { approval_mode: 'read_only', gates: ['GATE_OWNER'] }).gates).toEqual([
    'GATE_OWNER',
  ]);
});

test('uses the mode gate by default, and the category gate if the label has category rules', () => {
  expect(importedSpec(OFFER, UNDECLARED).gates).toEqual([GATE_MODE_APPROVAL]);
  expect(importedSpec(OFFER, UNDECLARED, { approval_mode: 'network' }).gates).toEqual([GATE_MODE_APPROVAL]);
  const mail = { category: 'email_calendar', rules: {} } as const;
  expect(importedSpec(OFFER, UNDECLARED, mail).gates).toEqual(['GATE_SEND']);
  expect(importedSpec(OFFER, UNDECLARED, { ...mail, gates: ['GATE_OWNER'] }).gates).toEqual(['GATE_OWNER']);
});

test('rejects a label that contradicts itself or has unknown fields', () => {
  const contradiction = { approval_mode: 'read_only', side_effect: true } as const;
  expect(() => importedSpec(OFFER, UNDECLARED, contradiction)).toThrow(/shop\.buy\/approval_mode/);
  const misspelt = { approvalMode: 'read_only' } as object;
  expect(() => importedSpec(OFFER, UNDECLARED, misspelt)).toThrow(/approvalMode/);
});

test('strips invisible characters from an imported description and truncates it', () => {
  const description = 'Reads\u200b a \u202efile\u0007\n\u{e0049}\u{e0047}carefully';
  expect(importedSpec({ ...OFFER, description }, UNDECLARED).description).toBe('Reads a file\ncarefully');
  expect(importedSpec({ ...OFFER, description: 'x'.repeat(10_000) }, UNDECLARED).description).toHaveLength(4_096);
});

test('a description written by the user vouches for the description only', () => {
  expect(importedSpec(OFFER, UNDECLARED).vouched).toBeUndefined();
  expect(importedSpec(OFFER, UNDECLARED, { description: 'Buys' }).vouched).toBe('description');
  expect(importedSpec(OFFER, UNDECLARED, { description: 'Buys', vouched: 'all' }).vouched).toBe('all');
});

test('rejects a label for an unknown tool and names the tool', () => {
  expect(() => assertKnownLabels('shop', { bye: {} }, ['sell', 'buy'])).toThrow(
    'shop has no tool bye; it has buy, sell',
  );
  expect(() => assertKnownLabels('shop', { buy: {} }, ['sell', 'buy'])).not.toThrow();
});
