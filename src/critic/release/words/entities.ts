/**
 * Nouns for persons, things, places, documents and events of business domains. A sentence may use one for the record it
 * speaks of, unless another field of the facts has the word. Nouns for measures, money, states and causes are claims and
 * do not belong here. A changed list changes rulings: raise `RELEASE_CHECK` with it.
 * @module
 */
const ENTITIES = `
account accounts agreement alarm album ambulance announcement answer apartment app appeal appliance applicant
application appointment area article artist asset assignment assistant association athlete attachment attendee auction
author authority baby bag baggage bakery balcony band bank barn basket bath bathroom battery bay bed bedroom bicycle bike
bill bin bird boat boiler book booking bottle box boy branch brand bread breakfast bridge broker building bulb bundle bus
business butcher button buyer cabin cabinet cable café cafe calendar camera camp campaign campervan campus candidate
canteen captain car caravan card cargo carpet carrier cart case casino cat catalogue category caterer cattle centre
center certificate chair channel chapter charity chart chassis child children choir church cinema city claim claimant
class classroom clerk client clinic clock club coach coast code coffee collection college colleague column commander
committee community company competition complaint component computer concert conference consignment consultant consumer
contact container contest contract contractor convoy copy corporation council counter country couple courier course court
cow craft crane creator crew cruise cup customer cyclist dashboard data database dataset daughter dealer debtor deck
delegate delegation dentist depot desk destination developer device dinner director dish display district dock doctor
document dog donor door dormitory dossier draft drawer dress drink driver driveway drone drug editor electrician elevator
email employee employer engine engineer enquiry entity entrance entry envelope episode equipment escalator estate event
exam examination examiner exhibit exhibition expert exporter facility factory family fan farm farmer fence ferry festival
field fieldwork file film firm fish flat fleet flight floor flower folder food football forest forklift form forum
foundation freezer freight freighter fridge friend fruit fund funeral furniture game garage garden gate gatehouse gift
girl glass goods government grant greenhouse grid grocery ground group guard guest guide gym hall handler handset hangar
harbour harbor hardware harvest heater helicopter herd hive holder home horse hospital host hostel hotel house household
hub husband icon image implant importer inbox incident individual industry infrastructure inquiry insect inspection
inspector installation institute instructor instrument insurer interpreter interview inventory investor invitation
invoice island issuer item jacket job journal journalist journey jury kennel kettle keyboard kid kiosk kitchen kit lab
laboratory lamp land landlord lane laptop laundry lawn lawyer league leaflet learner lease lecture lecturer leg lender
lessee lesson lessor letter library licence license licensee lift light line link liner list listing livestock loan
locker lodge log logbook lorry lot lounge lunch machine machinery magazine mail mailbox mailing maker mall man manager
manual manufacturer map market mast match material matter meal mechanic medal media medicine meeting member memo menu
merchandise merchant message meter microphone mill mine minister ministry model modem module monitor mortgage mother
motor motorbike mountain movie museum musician neighbour neighbor network newsletter newspaper note notice notebook
notification nurse nursery object occupant occupier offer office officer operator opponent opportunity option orchard
orchestra order organisation organization organiser organizer oven owner package packet page painter painting pallet
panel paper paperwork parcel parent park participant partner party pass passenger passport patient patron payee payer
payslip pedestrian pen people performance performer permit person pet pharmacist pharmacy phone photo photograph
photographer physician physiotherapist piano picture piece pig pilot pipe pipeline pitch place plane plant plantation
plate platform player playlist plot plumber pod policy policyholder pool port portal portfolio portion post poster
prescription presenter press printer prison prisoner product producer professional professor program programme project
property proposal prosecutor provider pub publication publisher pump pupil purchase purchaser quarry query questionnaire
quote quotation race rack radio rail railway ranch reader receipt receiver reception recipe recipient record recording
recruit recruiter referee referral refrigerator register registrar registration relative renter repository report
reporter representative request reservation reservoir resident residence respondent restaurant resort retailer review
reviewer ride rider ring river road robot roof room roommate route router runner runway sailor salad salon sample sand
satellite scanner scheme scholarship school scooter score screen script sculpture seafarer season seat section segment
seller semester seminar sender sensor sequence series server service session set settings sheep sheet shelf shelter ship
shipment shipper shirt shoe shop show shower shuttle site skipper sku slot society software soil solicitor son song
space speaker specialist specimen spectator spouse squad stadium staff stage staircase stall stand statement station
stock store storey story storm stream street student studio study subcontractor subject submission subscriber
subscription subsidiary suite supermarket supervisor supplier surgeon surgery survey surveyor system table tablet tailor
talk tank tariff task taxi taxpayer teacher team technician telephone telescope television tenancy tenant tent term
terminal test thermostat thread ticket tile tool tour tournament town toy track tractor trade trader trailer train
trainee trainer training tram transaction transcript transfer translation translator traveller traveler treatment tree
trial tribunal trip troop truck trustee tunnel turbine tutor tutorial unit university user utility vaccine valve van
vegetable vehicle vendor venue vessel vet veterinarian video viewer viewing villa village vineyard visa visit visitor
volunteer voter voucher voyage waiter ward warehouse website wedding weekend well wheel wholesaler widow wife window wine
winery wing witness woman wood worker workforce workout workplace workshop workspace world writer yacht yard zone zoo
carton crate sack drum reel roll spool tray bale batch lorryload truckload lane berth quay wharf dockyard manifest
lading waybill docket pickup dropoff hamlet suburb county province state territory municipality borough parish
pr repo build commit branch merge job runner cluster node pod replica host endpoint queue topic bucket volume disk
snapshot backup firewall certificate domain hostname subnet tenant workload function lambda cron scheduler dashboard
sprint epic backlog ticket bug feature patch release changelog inbox mailbox thread channel workspace
thing things stuff bit piece paperwork folks guys everyone group trainee intern apprentice freelancer
puppy kitten rabbit hamster parrot pony calf lamb foal chicken hen goat donkey
pill tablet capsule syrup ointment cream syringe bandage crutch wheelchair inhaler prosthesis denture crown filling
scan x-ray mri ultrasound biopsy swab blood urine tissue organ kidney heart lung liver skin bone tooth teeth eye ear
mug cup plate bowl spoon fork knife pan pot kettle toaster blender lamp bulb mattress pillow blanket sofa couch
armchair stool bench bookcase wardrobe dresser mirror curtain rug vase candle clock watch necklace bracelet earring
sneaker boot sandal sock trousers jeans skirt blouse sweater coat scarf glove hat cap belt wallet purse backpack
suitcase umbrella tent stove kayak canoe paddle helmet saddle tyre tire brake chain pedal handlebar wheel axle gearbox
clutch bumper windscreen windshield headlight bonnet boot trunk dent engine exhaust radiator battery charger plug socket
cartridge toner ink paper envelope stapler printer scanner projector whiteboard headset webcam microphone speaker
soprano tenor violin cello flute trumpet drummer guitarist singer band orchestra choir setlist encore stage
striker midfielder defender goalkeeper captain referee umpire coach physio mascot fixture derby cup
seed seedling sapling bush hedge crop barley wheat maize corn rye oats rapeseed potato beet carrot onion tomato lettuce
apple pear cherry plum grape olive almond hop hay straw silage manure fertiliser fertilizer pesticide irrigation
sprinkler drip hose tap faucet sink toilet shower bathtub boiler radiator thermostat chimney gutter shingle brick
concrete cement mortar plaster drywall insulation scaffold beam joist rafter slab foundation pile trench excavator
bulldozer crane lift hoist ladder drill hammer saw screwdriver wrench spanner bolt nut screw nail washer rivet gasket
bearing gear pulley belt hose valve piston cylinder turbine generator transformer inverter panel module string
`;

const WORDS: ReadonlySet<string> = new Set(ENTITIES.trim().split(/\s+/u));

/** Whether a word is one of the nouns, singular, plural or with a genitive. */
export function isEntityNoun(text: string): boolean {
  const noun = text.replace(/'s?$/u, '');
  return [noun, noun.replace(/s$/u, ''), noun.replace(/es$/u, ''), noun.replace(/ies$/u, 'y')].some((form) =>
    WORDS.has(form),
  );
}
