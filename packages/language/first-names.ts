/**
 * Common English first names. They distinguish a person from a product where a capital letter is the only sign, and
 * `she` from `he`. Unisex names are in both lists. A name in neither list is still a person if the text says so (`named
 * Oscar`).
 */

const female = `Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Sara Karen Lisa Nancy Betty Sandra Margaret Ashley
  Kimberly Emily Donna Michelle Carol Amanda Melissa Deborah Stephanie Rebecca Laura Helen Sharon Cynthia Kathleen Amy Angela
  Shirley Anna Anne Ann Ruth Brenda Pamela Nicole Katherine Catherine Samantha Christine Virginia Debra Rachel Carolyn Caroline
  Janet Maria Heather Diane Julie Joyce Victoria Kelly Christina Joan Joanna Evelyn Lauren Judith Olivia Megan Cheryl Martha
  Andrea Frances Hannah Jacqueline Gloria Jean Kathryn Alice Teresa Sophia Sofia Emma Isabella Mia Charlotte Amelia Harper
  Abigail Ella Grace Chloe Zoe Lily Lucy Nora Hazel Ellie Stella Leah Julia Claire Eva Eve Ruby Melanie Gina Tina Sally Molly
  Daisy Rose Kate Katie Jane Jenny Becky Vicky Wendy Tracy Monica Erica Erika Vanessa Diana Natalie Paula Sylvia Elena Irene
  Fiona Priya Aisha Fatima Leila Mei Yuki Ingrid Marta Carmen Rosa Lucia Alexandra Alex Sam Jordan Taylor Morgan Casey Jamie
  Robin Riley Avery Quinn Deb Debbie Sue Beth Meg Liz Jess Jen Kim Pam Barb Cindy Mandy Sandy Penny Annie Audrey Bella`
const male = `James Robert John Michael David William Richard Joseph Thomas Charles Christopher Daniel Matthew Anthony Mark Donald
  Steven Stephen Andrew Paul Joshua Kenneth Kevin Brian George Timothy Ronald Edward Jason Jeffrey Ryan Jacob Gary Nicholas Eric
  Jonathan Jon Larry Justin Scott Brandon Benjamin Samuel Gregory Frank Patrick Raymond Jack Dennis Jerry Tyler Aaron Jose Adam
  Nathan Nate Henry Zachary Douglas Peter Kyle Noah Ethan Jeremy Walter Christian Keith Roger Terry Austin Sean Gerald Carl
  Harold Dylan Arthur Lawrence Jesse Bryan Billy Bruce Gabriel Joe Logan Alan Juan Elijah Willie Albert Wayne Randy Mason
  Vincent Liam Roy Bobby Caleb Bradley Russell Lucas Luke Leo Oscar Oliver Evan Ian Max Tim Tom Tommy Jim Jimmy Bob Bill Will
  Dan Danny Dave Mike Matt Nick Rob Steve Greg Jeff Ben Ted Fred Phil Simon Martin Victor Hugo Felix Ivan Omar Ali Ahmed Raj
  Chen Hiro Lars Sven Pablo Carlos Luis Miguel Diego Marco Andre Alex Sam Jordan Taylor Morgan Casey Jamie Robin Riley Avery
  Quinn Charlie Harry Louis Theo Toby Calvin Cal Dave`

const females = new Set(female.split(/\s+/))
const males = new Set(male.split(/\s+/))

export type Gender = 'female' | 'male' | 'unknown'

/** null: an unknown name. */
export function firstNameGender(name: string): Gender | null {
  const she = females.has(name)
  const he = males.has(name)
  if (she === he) return she ? 'unknown' : null
  return she ? 'female' : 'male'
}
