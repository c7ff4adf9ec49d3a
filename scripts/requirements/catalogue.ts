import { readFileSync } from 'node:fs';

/** One requirement of the source texts, and how to check it. */
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

/** Parses one JSON object per line. Every field is a non-empty string, and ids are unique. */
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
