import { isJsonList, type Json, type JsonObject } from '../../model/json/json.ts';
import { pointerToken } from '../../model/json/pointer.ts';

/** A string or number somewhere in the arguments, or a key that contains an address. */
interface CategoryLeaf {
  readonly pointer: string;
  /** The name of the argument, or of the list that holds it, in the form that `plainName` returns. */
  readonly name: string;
  readonly value: string | number;
}

/** Collects all leaves. Iterative, because the arguments may be nested deeper than the call stack. */
export function categoryLeaves(args: JsonObject): readonly CategoryLeaf[] {
  const leaves: CategoryLeaf[] = [];
  const open: { readonly pointer: string; readonly name: string; readonly value: Json }[] = [
    { pointer: '', name: '', value: args },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { pointer, name, value } = next;
    if (typeof value === 'string' || typeof value === 'number') leaves.push({ pointer, name, value });
    else if (typeof value === 'object' && value !== null) {
      const inList = isJsonList(value);
      for (const [key, inner] of Object.entries<Json>(value as JsonObject)) {
        const inside = `${pointer}${pointerToken(key)}`;
        if (key.normalize('NFKC').includes('@')) leaves.push({ pointer: inside, name, value: key });
        open.push({ pointer: inside, name: inList ? name : plainName(key), value: inner });
      }
    }
  }
  return leaves;
}

/** Whether a pointer equals one of these or points into one of them. */
export const isCovered = (pointer: string, by: readonly string[]): boolean =>
  by.some((known) => known !== '' && (pointer === known || pointer.startsWith(`${known}/`)));

export const plainName = (key: string): string =>
  key
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
