/** Whether a change outdates an earlier sentence of the same person. */
export type Ends = (earlier: string) => boolean
