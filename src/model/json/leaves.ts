import { isJsonList, type Json } from './json.ts';
import { pointerToken } from './pointer.ts';

/** A value without parts. Empty lists and objects are leaves too. */
export interface JsonLeaf {
  /** JSON Pointer to the leaf. */
  readonly at: string;
  /** The nearest property name; empty if there is none. */
  readonly name: string;
  /** JSON Pointer to the nearest object around the leaf. */
  readonly record: string;
  readonly value: Json;
}

/** Lists the leaves of a value. `skip` returns true for a part that is not entered. */
export function leavesIn(value: Json, skip: (part: Json) => boolean = () => false): readonly JsonLeaf[] {
  const found: JsonLeaf[] = [];
  const collect = (part: Json, at: string, name: string, record: string): void => {
    if (skip(part)) return;
    const isParent = typeof part === 'object' && part !== null && Object.keys(part).length > 0;
    if (!isParent) found.push({ at, name, record, value: part });
    else if (isJsonList(part))
      for (const [index, item] of part.entries()) collect(item, `${at}/${index}`, name, record);
    else for (const [key, child] of Object.entries(part)) collect(child, at + pointerToken(key), key, at);
  };
  collect(value, '', '', '');
  return found;
}
