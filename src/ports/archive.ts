/** Makes one file of a text, and the text of the file. */
export interface Archive {
  pack(text: string): Uint8Array;
  /** `bundle_invalid` for bytes that no text was packed into. */
  unpack(bytes: Uint8Array): string;
}
