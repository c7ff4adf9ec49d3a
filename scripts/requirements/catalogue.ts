import { readFileSync } from 'node:fs';

/** One sentence that the binding texts make of this product, and how it can be checked. */
export interface Requirement {
  readonly id: string;
  readonly source: string;
  readonly behavior: string;
  readonly check: string;
}

const FIELDS = ['id', 'source', 'behavior', 'check'] as const;
const FILE = new URL('../../test/requirements.jsonl', import.meta.url);

export function readCatalogue(): readonly Requirement[] {
  return parseCatalogue(readFileSync(FILE, 'utf8'));
}

/** One JSON object per line; every field a non-empty string; no id twice. */
export function parseCatalogue(text: string): readonly Requirement[] {
  const seen = new Set<string>();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, at) => {
      const entry: Requirement = JSON.parse(line);
      for (const field of FIELDS)
        if (typeof entry[field] !== 'string' || entry[field] === '')
          throw new Error(`requirement ${at + 1}: "${field}" is missing`);
      if (seen.has(entry.id)) throw new Error(`requirement "${entry.id}" is listed twice`);
      seen.add(entry.id);
      return entry;
    });
}
