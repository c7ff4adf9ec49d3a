/** Words that mean the same field, a concept between slashes. A word may stand for several concepts. Versioned data. */
export const SYNONYMS: readonly (readonly string[])[] = `
price cost costs charge charged fare fee costing priced rate tariff rates / fee charge surcharge /
rate charge price percentage percent / bill invoice billed statement / due deadline payable owed /
outstanding owe owed owes unpaid open balance remaining / balance credit funds pot / amount sum total money /
email e-mail mail / phone telephone mobile call contact /
start begin began begins commence starts effective commenced inception /
end finish conclude ran close ends until ended completed finished expires /
expire lapse end valid runs run good expires / valid good active /
eta arrive expected estimate estimated arrival due arrives delivery / arrive arrival reach land come /
depart departure leave leaves go departs / purchase buy bought acquired ordered /
quantity qty pieces units count number / customer client buyer / plan subscription membership package tariff tier /
tier level class category grade / name called title titled entitled /
assign assignee assigned handler responsible working handles / assign assignee owner responsible / remain left remaining remains available free /
birth born dob birthday / temperature temp degrees / number num nr / location place venue site whereabouts located /
release publish published / weight weigh weighs weighing /
duration last lasts lasted take takes took long length ran run runs time / minimum min least floor /
maximum max limit cap most ceiling / limit cap allowance maximum allowed / distance far km away /
discount reduction rebate reduced / deliver delivery delivered arrives brought / pay payment paid remittance /
pay charge cost price fee / salary wage pay earnings / return returned back rendered /
allowance quota entitlement entitled / lead led leader heads / next upcoming following /
require need required needs needed necessary mandatory / average avg mean /
company firm organisation organization org employer business /
guest people person persons party diners covers attendees / carrier courier shipper airline /
parcel package shipment tracking consignment / vehicle car van plate / prescribe prescriber prescribed /
appointment visit consultation slot / schedule planned slot scheduled booked set arranged /
report reporter raised reported / create opened raised filed created made / submit submitted filed lodged sent /
receive received arrived got receipt / total overall altogether grand sum / message text mail note / colour color /
address live lives resides / manager managed manages runs / version release build / size large big area measures /
rating rated stars score scored / score points grade mark / seat seated sits / gate boarding / platform track /
stock inventory hand store / region area zone district / employer employed employs /
coverage covered cover covers covering include included / insure insured insurance insurer /
mileage odometer km miles / interest apr rate / department team dept / auto automatic automatically itself /
renew extend extended prolonged rollover / allow allowed permit permitted welcome accept accepts accepted possible /
enabled active activated turned switched / available offered free stock ready /
include included comes inclusive contains part / mfa two-factor multi-factor 2fa / method means mode /
bedroom bedrooms br / capacity holds seats hold fits volume / owner owned owns belongs holder /
author written wrote writer / doctor physician clinician practitioner / clinician doctor nurse physician therapist /
technician engineer mechanic / landlord owner lessor / tenant renter lessee / coach trainer coached coaches trains /
inspector inspected inspects / approve approved approval approver authorised authorized signed /
check checked verified verification verify / resolve resolved fixed solved fix / fix repair repaired resolution /
reason cause because why due grounds / update updated change changed modified edit edited /
change changed modify switched moved / remark note comment remarks / pickup collect collected collection pick picked /
return dropoff drop bring / checkin arrival arrive check-in / checkout departure leave check-out /
stay nights stays staying / fine penalty penalties ticket / penalty fine sanction / sanction penalty strike /
overdue late past / late delay delayed overdue / delay delayed late behind / waiting queue waitlist line /
position place rank pos number / usage used consumed consumption spent use / consume used consumed opened /
spend spent expenditure / budget allocated allowance / deposit security downpayment prepayment /
premium price payment / deductible excess / income earnings earned wages / wages pay salary earned / tax vat mwst /
contract agreement lease / lease tenancy contract rental runs / notice cancellation terminate /
term duration period runs length / period term cycle window month / cycle period billing / member membership /
passenger traveller traveler flyer / flight plane / luggage baggage bag bags suitcase / room rooms /
floor storey level story / area size sqm square metres space / property flat house apartment home unit listing /
pet pets animals dog cat / parking car garage space / hour hours open opening / open opens opening /
issue problem fault incident / incident outage accident event / severity sev priority / priority urgency /
status state standing situation / stage step phase round / result outcome finding verdict / outcome result decision /
decision ruling verdict decided / grade mark passed score / course class module subject /
teacher instructor lecturer / student pupil / test exam tests / lab laboratory labs / sample specimen / dose dosage /
refill refills renewals / medication medicine drug drugs / allergy allergies allergic /
attachment attachments file attached files / sender sent writes / recipient addressee / subject title headline /
reviewer review reviews / comment comments commented / replica replicas instance /
deploy deployed deployment rollout / service app application / error errors failure / fail failed failure broke /
success succeeded successful passed / latency response / request requests calls queries / backup backups /
restore restored / retention kept retained keep retain / region datacenter / device sensor unit meter / sensor probe /
battery charge charged / reading measurement measured value shows reports / energy kwh electricity power /
power output watts / harvest yield crop / production generated produced made output / load cargo freight /
container box / pallet pallets / warehouse depot store / supplier vendor supplies / vendor supplier seller /
buyer purchaser bought / merchant shop store retailer / card cards / iban account bank / transfer wire payment /
dispute disputed chargeback contested / claim claimed filing case / claimant policyholder insured /
policy insurance cover / beneficiary beneficiaries nominee / adjuster assessor / workshop garage /
attorney lawyer solicitor counsel / hearing trial court / court judge tribunal / matter case file /
opposing against opponent / filing filed submitted / permit licence license / application applied request /
applicant applied / vote voting votes polling / league division table / team club squad side / played matches games /
won wins victories / lost losses defeats / drawn draws / points pts / goal goals / event concert show /
ticket tickets / session sessions training / pitch field ground / lesson class / level lvl / coins gems balance /
player gamer / lock locked ban banned blocked suspended / suspended paused frozen / freeze frozen pause paused /
pause paused suspended / donation gift donated gave contribution / gift present / project campaign cause /
tree trees / volume volumes / budgeted planned / forecast projected / headcount employees staff /
employee staff worker / manager boss supervisor / leave vacation holiday days / overtime extra / bonus extra /
deduction deductions withheld / training course / shift shifts / crew staff team / driver drives driving chauffeur /
route line / stop station / speed pace / fuel petrol diesel gas / engine motor / emission co2 / rent monthly /
monthly month / annual yearly year annually / weekly week / daily day / hourly hour / nightly night /
hold reservation held holds / loan loans borrowed borrow loaned / fulfil fulfilled filled /
deny denied refused rejected declined / reject rejected declined refused turned / cancel cancelled called /
confirm confirmed / ship shipped dispatched / dispatch dispatched shipped sent / locate located found /
find found located / scan scanned / forward forwarded forwarding / sign signed signature / expense expenses /
receipt receipts / interim temporary / reorder restock / reserve reserved reservation booked held /
inbound incoming arriving / outbound outgoing out / earliest first soonest / last latest previous final recent /
previous former old earlier prior last / current now present / original initial first / new latest updated /
simultaneous concurrent same / remote home / branch location office / language languages / source original /
word words / screen screens devices / download downloads / storage space disk / data traffic / speed bandwidth /
measured actual / contract agreed contracted / weather forecast / wind gust / rain rainfall precipitation /
high max maximum / low min minimum / moved relocated transferred / attend attended attendance present /
absence absent absences / excused justified / role position function job title / candidate applicant /
interview interviews / hire hired / stake share / share percentage part portion proportion /
percentage percent share / probability likelihood chance odds / value worth valued / hammer sold sale / bid bids /
lot item / estimate estimated valuation / interpreter translator / fasting fast sober eat / waive waived dropped /
fraud suspicious / transaction charge purchase payment / contact reach reached prefers / preferred prefers favourite /
notes remarks / retry retries retried attempt attempts / attempt attempts tries / pass passes / goods items articles /
product item article / contents containing content / valid validity / eligible qualify qualifies entitled /
refund refunded reimbursed money returned / reimburse reimbursed refunded / destination going bound heading /
origin coming /
drive driver drives drove driven driving / lock locked locks lockout / attempt attempts try tries tried /
issue issued issues issuance / sign signed signature signatory signs / register registered registration signed enrolled enrolment booked /
enrol enrolled enrolment enrollment registered /
stream streams streamed plays played listens / earn earnings earned income revenue / payslip salary pay payroll wage wages /
organiser organizer organised organized hosted host organises / host hosted hosts hosting / text texts sms messages message /
roaming abroad overseas / settle settled settlement / respond responded response responses replied / speaker speaks speaking gives presents presenter talk /
teach teacher teaches taught instructor /
chair chaired chairs chairperson / moderator moderates moderated / translate translator translates / review reviewer reviews reviewed /
audit auditor audited audits / write author wrote written writes / paint painter painted / compose composer composed / conduct conductor conducts /
direct director directs directed / edit editor edited / publish publisher published publishes /
own owner owns owned belongs / rent renter rents rented leases leased / lease leased leases / insure insurer insures insured /
supply supplier supplies supplied / sell seller sells sold / buy buyer bought buys purchased / ship shipper ships shipped /
 maintain maintained maintenance serviced service / inspect inspector inspected inspection /
install installer installed installation fitted / repair repaired repairs fixed / test tested tests testing / pick picked picks /
 store stored storage / weigh weighs weight heavy weighed / height tall high / width wide / depth deep / length long /
 born birth / die died death / cost costs costing / fare fares / toll tolls / tip gratuity /
 gross before total / vat tax taxes / surcharge supplement extra / commission fee /
overdraft overdrawn / principal borrowed capital / mortgage loan / rate interest apr /
 voucher code coupon / points rewards / cashback reward /
 credit credits / debit debited / withdraw withdrawal withdrawn /
booking reservation stay trip appointment / reservation booking table / checkin arrival arrive arrives check / checkout departure depart leave /
room suite cabin / bed beds / breakfast meal board / board meals / guest guests visitors people adults / adult adults / child children kids /
infant baby / seat seats places / stopover layover connection / terminal terminals / boarding board boards / takeoff departs departure leaves /
landing lands arrives arrival / airline carrier / train trains / bus coach / ferry sailing crossing / cabin class /
visa visas / passport passports / luggage bags baggage case suitcase / itinerary route trip / tour trip excursion /
patient patients / diagnosis diagnosed / symptom symptoms / allergy allergic allergies / dose doses dosage mg / prescription prescribed medication /
vaccination vaccine vaccinated shot jab / surgery operation procedure / ward unit / nurse nurses / scan imaging /
blood bloods / pressure bp / pulse heartrate / referral referred / discharge discharged / admission admitted / insurance coverage cover /
copay copayment share / deductible excess / claim claims claimed / policy cover insurance plan /
 course courses module class / exam exams examination test / credit credits ects / lecture lectures class /
semester term / tuition fees / scholarship grant award / absence absent absences missed / attendance present attended / homework assignment task /
 deadline due submission / submit submitted submission handed / pass passed passes / fail failed fails /
employee staff worker colleague / manager boss lead supervisor / department team unit group / shift shifts rota / overtime extra hours /
vacation holiday leave annual / sick sickness illness / bonus premium / raise increase / notice resignation / contract employment /
headcount staff employees people / vacancy opening position / candidate applicant / interview interviewed / offer offered / hire hired joined /
server host machine node / instance instances replica / cpu processor load / memory ram / disk storage volume / downtime outage down /
latency delay response / error errors failures / request requests calls / deploy deployed deployment release released shipped / version release build /
commit commits / branch branches / merge merged mergeable / pipeline build run / job jobs task / alert alerts alarm / incident outage issue /
ticket tickets case issue / priority severity urgency / assignee assigned owner handler / resolve resolved fixed closed solved / reopen reopened /
backup backups backed / restore restored / certificate cert ssl tls / domain domains / user users accounts / login logins signed logged / password passwords credential /
role roles permission permissions access / permission allowed access rights / key keys token / quota limit allowance / usage used consumption consumed /
meter reading readings / consumption used usage consumed energy / production produced generated output / tariff rate plan / standing base fixed /
solar panels pv / battery charge level / charger charging charge / voltage volts / power kw / temperature temp degrees heat / humidity moisture / pressure bar /
rainfall rain precipitation rained / wind gusts / harvest harvested yield / crop crops planted / field fields plot / livestock animals herd / milk litres / feed fodder /
parcel package shipment consignment delivery / carrier courier shipper / tracking tracked / warehouse depot hub site / stock inventory units hand available / sku article item product part /
quantity qty units pieces count amount / reorder restock replenish / supplier vendor / order orders purchase / delivery delivered arrives arrival /
container box / pallet pallets / customs clearance duty / freight shipping transport / dimension dimensions size measures / address location /
property flat apartment house home unit listing / rent rental rents / tenant tenants renter occupant / landlord owner lessor / lease tenancy contract / deposit bond security /
bedroom bedrooms / bathroom bathrooms / floor storey level / area size sqm space / garden yard / parking garage space / furnished furniture / viewing viewings visit / notice period /
event events concert show gig performance / venue location place hall / ticket tickets seats / doors opening open / performer artist act band / attendance attendees visitors guests / capacity holds fits seats /
match game fixture / team side club squad / goal goals / point points / win wins won victory / loss losses lost defeat / draw draws drew tied / league division table /
player players / coach trainer manager / season seasons / round rounds / lap laps / race races /
book books title titles / loan loans borrowed / hold holds reserved reservation / fine fines fee / renewal renewals renewed extend / branch library / copy copies / author writer by / edition version /
donation donations gift gifts donated / campaign appeal / goal target / raised collected / volunteer volunteers / grant funding award awarded / sponsor sponsored sponsors / beneficiary recipient /
vote votes voted / ballot ballots / polling voting / permit permits licence license / application applications applied / approval approved / inspection inspected / council authority / fine penalty ticket / hearing trial /
court tribunal / judge magistrate / lawyer attorney counsel solicitor / plaintiff claimant / defendant respondent / filing filed lodged / settlement settled / verdict ruling decision judgment /
 renewal renews renewed / trial trials / cancel cancelled cancels cancellation / upgrade upgraded / downgrade downgraded / seat seats licences licenses users / feature features / limit cap maximum max / minimum min least /
battery charge / mileage km distance odometer / fuel petrol diesel tank / plate registration / model make / tyre tires tyres / service serviced servicing / mot inspection / insurance insured / driver drivers / pickup collect collection picked collected /
pet pets animal / breed breeds / species kind / vet veterinarian / owner owners / weight weighs / neutered spayed castrated / microchip chip chipped /
meeting call session / attendee attendees participants invited / organizer organiser host / agenda topics / location place room / start starts begins beginning / end ends finishes finish / duration lasts long / reminder reminders / response replied accepted /
sender from wrote sent / recipient to / subject title topic / attachment attachments attached file / message mail email note / unread new / reply replied answered / thread conversation /
name called named / title called titled named / type kind sort category / colour color / size sizes / material made fabric / brand make manufacturer / warranty guarantee / rating rated stars score / review reviews / reviewer customer /
recipe dish meal / ingredient ingredients / portion portions serving servings / calorie calories kcal / allergen allergens allergies contains / menu dishes / table tables / party people guests group covers /
 updated changed modified edited / started began begun / completed finished done ended / scheduled planned due set booked / estimated expected forecast / actual real / last latest recent / next upcoming following
`
  .trim()
  .split(/(?<!\s)\s+\/\s+/u)
  .map((concept) => concept.split(' '));
