import { z } from 'zod';
import { DecisionSpec } from '../../model/decision.ts';
import { deepFreeze } from '../../model/freeze.ts';
import type { JsonObject } from '../../model/json.ts';
import { JsonRecord } from '../../model/json-schema.ts';
import { readWritten } from './yaml-file.ts';

/** What a decision need not say: nothing is waited for that is not named, and how risky it is counts as high. */
const UNSAID: JsonObject = {
  version: '1',
  evidence: [],
  approvals: [],
  controls: [],
  evaluators: [],
  accept_threshold: 0.8,
  risk_class: 'high',
  actions: [],
};

const FIELDS: readonly string[] = ['decision_id', 'description', ...Object.keys(UNSAID)];

const Catalogue: z.ZodType<{ readonly decisions: readonly JsonObject[] }> = z.strictObject({
  decisions: z.array(JsonRecord),
});

/** Reads a decision catalogue from a file, YAML or JSON. Whatever is wrong is said with file, line and column. */
export function decisionsFrom(path: string): readonly DecisionSpec[] {
  const file = readWritten(path);
  if (!isCatalogue(file.value)) throw file.fault('', 'a catalogue is a list of decisions under the word decisions:');
  const { decisions } = file.read(Catalogue, file.value, '');
  const known = new Map<string, number>();
  return decisions.map((said, place) => {
    const at = `/decisions/${place}`;
    file.assertFields(said, FIELDS, at);
    const decision = file.read(DecisionSpec, { ...UNSAID, description: said['decision_id'], ...said }, at);
    const before = known.get(decision.decision_id);
    if (before !== undefined) throw file.fault(`${at}/decision_id`, `${decision.decision_id} is declared twice`);
    known.set(decision.decision_id, place);
    return deepFreeze(decision);
  });
}

const isCatalogue = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'decisions');
