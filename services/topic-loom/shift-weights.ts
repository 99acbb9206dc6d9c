/** The weights of the shift score, in the order of `featureNames`. */
export const shiftWeights: readonly number[] = [1.2, -1.5, -2.5, -1.5, -1.2, 0.6, -0.8, -0.8, 0.3, 0]
