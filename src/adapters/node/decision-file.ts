import { z } from 'zod';
import { DecisionSpec } from '../../model/critic/decision.ts';
import { guardInput } from '../../model/fault/guard-input.ts';
import { exactObject, JsonRecord } from '../../model/json/exact.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { readYamlFile } from './yaml-file.ts';

/** Defaults of a decision: no evidence or approvals required, and a high risk class. */
const DEFAULTS: JsonObject = {
  version: '1',
  evidence: [],
  approvals: [],
  controls: [],
  evaluators: [],
  accept_threshold: 0.8,
  risk_class: 'high',
  actions: [],
};

const FIELDS: readonly string[] = ['decision_id', 'description', ...Object.keys(DEFAULTS)];

const Catalogue: z.ZodType<{ readonly decisions: readonly JsonObject[] }> = exactObject({
  decisions: z.array(JsonRecord),
});

/** Reads a decision catalogue from a YAML or JSON file. Faults name the file, line and column. */
export const decisionsFrom: (path: string) => readonly DecisionSpec[] = guardInput(
  'decisionsFrom',
  (path: string): readonly DecisionSpec[] => {
    const file = readYamlFile(path);
    if (!isCatalogue(file.value)) throw file.fault('', 'a catalogue is a list of decisions under the word decisions:');
    const { decisions } = file.read(Catalogue, file.value, '');
    const known = new Map<string, number>();
    return decisions.map((raw, place) => {
      const at = `/decisions/${place}`;
      file.assertFields(raw, FIELDS, at);
      const decision = file.read(DecisionSpec, { ...DEFAULTS, description: raw['decision_id'], ...raw }, at);
      const before = known.get(decision.decision_id);
      if (before !== undefined) throw file.fault(`${at}/decision_id`, `${decision.decision_id} is declared twice`);
      known.set(decision.decision_id, place);
      return deepFreeze(decision);
    });
  },
);

const isCatalogue = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'decisions');
